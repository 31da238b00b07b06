#include "books.h"

#include <bit>
#include <map>

#include "engine/place/leases.h"
#include "engine/state.h"

namespace weir::property {

namespace {

using engine::Card;
using engine::Lease;
using engine::Mask;
using engine::Node;
using engine::Pool;

class Audit {
 public:
  explicit Audit(const Pool& pool) : pool_(pool), held_of_team_(pool.teams.size(), 0) {}

  std::vector<std::string> run() {
    for (const Node& node : pool_.nodes) check(node);
    check_counts();
    check_claims();
    check_queue();
    return std::move(faults_);
  }

 private:
  void expect(bool good, const std::string& what) {
    if (!good && faults_.size() < 10) faults_.push_back("books: " + what);
  }

  // What the leases of a node say of it.
  void check(const Node& node) {
    const std::string name = "node " + std::to_string(node.spec.id.value);
    std::vector<Card> cards(node.cards.size());
    Mask whole = 0;
    Mask shared = 0;
    std::int64_t cpu = 0;
    std::int64_t ram = 0;
    for (const Lease& lease : node.leases) {
      count(lease, name);
      cpu += lease.place.cpu_milli;
      ram += lease.place.ram_mib;
      if (!lease.place.share) {
        expect((whole & lease.place.cards) == 0, name + ": a card is held whole twice");
        whole |= lease.place.cards;
        continue;
      }
      shared |= lease.place.cards;
      Card& card = cards[static_cast<std::size_t>(std::countr_zero(lease.place.cards))];
      ++card.shares;
      card.milli += lease.place.milli;
      card.mem_mib += lease.place.card_mem_mib;
    }
    expect((whole & shared) == 0, name + ": a card is whole and shared");
    expect(whole == node.whole && shared == node.shared, name + ": masks of held cards");
    expect(cpu == node.cpu_used && ram == node.ram_used, name + ": CPU or memory");
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const Card& is = node.cards[i];
      expect(is.shares == cards[i].shares && is.milli == cards[i].milli && is.mem_mib == cards[i].mem_mib,
             name + ": shares of card " + std::to_string(i));
      expect(is.milli <= kMilliPerCard, name + ": more than a card's share");
    }
    const CardCount fresh = engine::count_cards(pool_, node);
    expect(fresh == node.counted, name + ": count of cards");
    expect(fresh.total() == node.cards_ever, name + ": cards do not add up to all ever declared");
    sum_ += fresh.total();
  }

  void count(const Lease& lease, const std::string& name) {
    if (lease.replica) {
      const auto replica = pool_.replicas.find(lease.holder);
      expect(replica != pool_.replicas.end(), name + ": a lease of a replica that is gone");
      if (replica != pool_.replicas.end()) held_of_team_[replica->second.team] += engine::milli_of(lease.place);
      return;
    }
    const engine::RunRec* run = pool_.runs.find(lease.holder);
    expect(run != nullptr, name + ": a lease of a run that is gone");
    if (run == nullptr) return;
    held_of_team_[run->team] += engine::milli_of(lease.place);
    const std::int64_t cards = std::popcount(lease.place.cards);
    training_ += cards;
    if (!run->preemptible) nonpreemptible_ += cards;
    if (run->lent) lent_ += cards;
    expect(!run->lent || run->current, name + ": a run that counts no more is lent");
  }

  void check_counts() {
    for (std::size_t i = 0; i < held_of_team_.size(); ++i) {
      const engine::Team& team = pool_.teams[i];
      expect(held_of_team_[i] == team.held_milli, "what team " + team.spec.name + " holds");
      std::int64_t by_model = 0;
      for (const std::int64_t milli : team.held_milli_of_model) {
        by_model += milli;
        expect(milli >= 0, "team " + team.spec.name + " holds less than nothing of a model");
      }
      expect(by_model == team.held_milli, "what team " + team.spec.name + " holds, by model");
    }
    expect(training_ == pool_.training_cards, "cards held by training");
    expect(nonpreemptible_ == pool_.nonpreemptible_cards, "cards held without checkpoints");
    expect(lent_ == pool_.lent_cards, "cards lent");
    expect(sum_ == pool_.cards.total(), "cards of the pool");
  }

  // Between two steps only claims keep cards.
  void check_claims() {
    std::map<std::uint32_t, std::pair<Mask, Mask>> kept;
    std::map<std::uint32_t, std::int64_t> of_team;
    for (const auto& [id, claim] : pool_.claims) {
      for (const engine::ClaimPart& part : claim.parts) {
        if (part.started) continue;
        auto& [whole, in_part] = kept[part.place.node.value];
        (part.place.share ? in_part : whole) |= part.place.cards;
      }
      const engine::JobRec* job = engine::job_of(pool_, claim.job);
      if (job == nullptr) continue;
      of_team[job->team] += claim.quota_milli;
      expect(job->claim == claim.id, "claim " + std::to_string(id) + " is not its job's");
    }
    for (const Node& node : pool_.nodes) {
      const auto& [whole, in_part] = kept[node.spec.id.value];
      expect(node.kept == whole && node.kept_in_part == in_part,
             "cards kept on node " + std::to_string(node.spec.id.value));
      if (node.claims.empty()) expect(node.cpu_kept == 0 && node.ram_kept == 0, "CPU or memory kept for nobody");
    }
    for (std::uint32_t i = 0; i < pool_.teams.size(); ++i) {
      expect(pool_.teams[i].claimed_milli == of_team[i], "what team " + pool_.teams[i].spec.name + " claims");
    }
  }

  void check_queue() {
    std::int64_t waiting = 0;
    for (const auto& [id, job] : pool_.jobs) {
      waiting += job.queued ? 1 : 0;
      const engine::RunRec* run = engine::run_of(pool_, job.run);
      expect(!job.run.valid() || run != nullptr, "job " + std::to_string(id) + " names a run that is gone");
      const bool somewhere = job.queued || job.run.valid() || pool_.apart.contains(id);
      expect(somewhere, "job " + std::to_string(id) + " is nowhere");
      expect(!job.queued || !job.run.valid(), "job " + std::to_string(id) + " waits and runs");
    }
    expect(waiting == pool_.queue.waiting, "jobs in the queue");
    std::size_t heads = 0;
    for (const engine::JobClass& cls : pool_.queue.classes) heads += cls.jobs.empty() ? 0 : 1;
    expect(heads == pool_.queue.heads.size(), "heads of the queue");
    for (const auto& [id, run] : pool_.runs) {
      expect(!run.listed || pool_.preemptible.contains({run.rank, id}), "run " + std::to_string(id) + " is not listed");
    }
  }

  const Pool& pool_;
  std::vector<std::int64_t> held_of_team_;
  std::int64_t training_ = 0;
  std::int64_t nonpreemptible_ = 0;
  std::int64_t lent_ = 0;
  std::int64_t sum_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_in_books(const State& state) { return Audit(state.pool()).run(); }

}  // namespace weir::property
