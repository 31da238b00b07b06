// Records by ids that grow: found in constant time, kept in order of id, at stable
// addresses. The memory is that of the records alive and four bytes for each id
// between the oldest of them and the newest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/check.h"

namespace weir::engine {

template <class T>
class IdTable {
 public:
  // Ids that were never in the table before, or are larger than all of those.
  T& add(std::uint32_t id) {
    if (index_.empty()) base_ = id;
    WEIR_CHECK(id >= base_ + index_.size());
    index_.resize(id - base_ + 1, 0);
    std::uint32_t slot = 0;
    if (unused_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      slot = unused_.back();
      unused_.pop_back();
      slots_[slot] = T();
    }
    index_.back() = slot + 1;
    ++size_;
    return slots_[slot];
  }

  [[nodiscard]] T* find(std::uint32_t id) {
    const std::uint32_t slot = slot_of(id);
    return slot == 0 ? nullptr : &slots_[slot - 1];
  }
  [[nodiscard]] const T* find(std::uint32_t id) const {
    const std::uint32_t slot = slot_of(id);
    return slot == 0 ? nullptr : &slots_[slot - 1];
  }
  [[nodiscard]] T& at(std::uint32_t id) {
    T* found = find(id);
    WEIR_CHECK(found != nullptr);
    return *found;
  }
  [[nodiscard]] const T& at(std::uint32_t id) const {
    const T* found = find(id);
    WEIR_CHECK(found != nullptr);
    return *found;
  }

  void erase(std::uint32_t id) {
    const std::uint32_t slot = slot_of(id);
    if (slot == 0) return;
    index_[id - base_] = 0;
    unused_.push_back(slot - 1);
    slots_[slot - 1] = T();
    --size_;
    for (; !index_.empty() && index_.front() == 0; ++base_) index_.pop_front();
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  // In order of id.
  struct Entry {
    std::uint32_t id;
    const T& record;
  };
  class Iterator {
   public:
    Iterator(const IdTable& table, std::size_t at) : table_(&table), at_(at) { skip(); }
    Entry operator*() const {
      return {static_cast<std::uint32_t>(table_->base_ + at_), table_->slots_[table_->index_[at_] - 1]};
    }
    Iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    bool operator!=(const Iterator& o) const { return at_ != o.at_; }

   private:
    void skip() {
      while (at_ < table_->index_.size() && table_->index_[at_] == 0) ++at_;
    }
    const IdTable* table_;
    std::size_t at_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, index_.size()}; }

 private:
  // Slot + 1; 0 = none.
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t id) const {
    return id < base_ || id - base_ >= index_.size() ? 0 : index_[id - base_];
  }

  std::deque<T> slots_;
  std::vector<std::uint32_t> unused_;
  std::deque<std::uint32_t> index_;  // id - base -> slot + 1
  std::uint32_t base_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weir::engine
