#include "text/table.h"

namespace weir::text {

// Switches without a default: a code without a row is a compiler warning.

Row row_of(ReasonCode code) {
  switch (code) {
    using enum ReasonCode;
    case capacity:
      return {"Needs {amount.card}; free for it now: {of}.", "需要 {amount} 张卡，目前可供它使用的空闲卡有 {of} 张。"};
    case fragmented:
      return {"Needs {amount.card}; {of} free in all, but scattered: no place takes it whole.",
              "需要 {amount} 张卡；空闲卡共 {of} 张，但分散在各处，没有一处能整体放下。"};
    case no_such_model:
      return {"No node has a GPU model that it may use, in the size that it needs.",
              "没有节点具备它可用的型号和所需的规模。"};
    case team_quota:
      return {"Needs {amount.card}; left of its team's quota: {of}.", "需要 {amount} 张卡，团队配额还剩 {of} 张。"};
    case behind:
      return {"Waits its turn[ after {job}][: {amount.job} before it].",
              "按顺序等待[，排在 {job} 之后][，前面共有 {amount} 个作业]。"};
    case reserved:
      return {"Free cards are reserved[ for {job}][ until {at}].", "空闲卡已预留[给 {job}][，直到 {at}]。"};
    case guard:
      return {"Starting it would leave no room for the inference guard[ of {amount.card}].",
              "如果启动它，推理保底[（{amount} 张卡）]将无处安放。"};
    case pledge:
      return {
          "Starting it would break the pledge of the buffer[ ({amount.card})]: too few cards could come back in time.",
          "如果启动它，弹性缓冲[（{amount} 张卡）]的承诺将无法兑现：能及时归还的卡太少。"};
    case waiting_checkpoint:
      return {"Cards are claimed for it and come free at a checkpoint[ of {run}][, expected at {at}].",
              "已为它申领卡，等待[ {run} ]到达检查点后让出[，预计 {at}]。"};
    case deadline_budget:
      return {"Close to its deadline, but its team's budget for promotion is used up.",
              "临近截止时间，但团队的提升预算已用完。"};
    case deadline_missed:
      return {"Cannot end before its deadline any more[ ({at})]: it keeps its place but claims no cards.",
              "已无法在截止时间[（{at}）]之前完成：保留位置，但不再申领卡。"};
    case no_estimate:
      return {"How long it still has to run is not known, so its deadline does not move it up yet.",
              "剩余运行时间未知，截止时间暂时不能使它提前。"};
    case starved:
      return {"Has waited more than twice the longest wait intended[; {job} holds the shape that it needs].",
              "等待时间已超过预定最长等待的两倍[；它需要的卡由 {job} 占用]。"};
    case gang_incomplete:
      return {"Starts again only with all its workers: {amount} of {of} have a place.",
              "所有工作进程都有位置才能重新启动：目前 {amount} / {of}。"};
    case drained:
      return {"Nodes that would fit it are draining[: {amount}].", "能容纳它的节点正在排空[：{amount} 个]。"};
    case node_down:
      return {"Nodes that would fit it are down or silent[: {amount}].", "能容纳它的节点已宕机或失联[：{amount} 个]。"};
    case backoff:
      return {"It failed and waits before the next try[, at {at}].", "它自身失败，等待下一次重试[（{at}）]。"};
    case held:
      return {"Held until a person releases it[: {amount.run} in a row without progress].",
              "已挂起，等待人工处理[：连续 {amount} 次运行没有进展]。"};
    case paused:
      return {"Work of its class has reached the number of cards that it may hold.", "同类作业占用的卡数已达上限。"};
    case frozen:
      return {"An operator froze the pool: no cards are claimed until it is released.",
              "管理员已冻结资源池：解除之前不申领任何卡。"};
    case waiting_jobs:
      return {"Starts when the work that it waits for has ended[: {job}].", "等待前置作业结束[：{job}]。"};
    case node_scope:
      return {"Its checkpoint lies on one node only, and that node has no room now.",
              "它的检查点只在一个节点上，而该节点目前没有空位。"};
  }
  return {};
}

Row row_of(change::AlarmKind kind) {
  switch (kind) {
    using enum change::AlarmKind;
    case guard_unplaceable:
      return {"The inference guard has no place[: {service}][, after the loss of {node}].",
              "推理保底无处安放[：{service}][，因为失去了 {node}]。"};
    case cards_missing:
      return {"Cards that were declared are no longer reported[ by {node}].", "[{node} ]已声明的卡不再上报。"};
    case node_lost:
      return {"A node is lost[: {node}]; its runs restart elsewhere from their newest checkpoint.",
              "节点失联[：{node}]；其上的运行将从最新检查点在别处重启。"};
    case card_quarantined:
      return {"A faulty card is taken out of use[ on {node}].", "[{node} 上]有故障卡已停用。"};
    case starved:
      return {"Work has waited more than twice the longest wait intended[: {job}].",
              "有作业等待时间超过预定最长等待的两倍[：{job}]。"};
    case deadline_missed:
      return {"A deadline can no longer be met[: {job}].", "截止时间已无法满足[：{job}]。"};
    case run_held:
      return {"A job made no progress in two runs and is held[: {job}].",
              "作业连续两次运行没有进展，已挂起[：{job}]。"};
    case unknown_run:
      return {"A message names a run that is not known[: {run}].", "收到未知运行的消息[：{run}]。"};
    case stale_need:
      return {"The measured need is too old[: {service}]; its replicas stay as they are.",
              "需求测量已过期[：{service}]；副本数保持不变。"};
    case yield_overdue:
      return {"A run did not leave by the end of its claim[: {run}].", "运行未在申领到期前让出[：{run}]。"};
  }
  return {};
}

Row row_of(JobState state) {
  switch (state) {
    using enum JobState;
    case waiting:
      return {"waiting", "等待中"};
    case running:
      return {"running", "运行中"};
    case backoff:
      return {"waits to try again", "等待重试"};
    case held:
      return {"held", "已挂起"};
    case succeeded:
      return {"succeeded", "已成功"};
    case failed:
      return {"failed", "已失败"};
    case cancelled:
      return {"cancelled", "已取消"};
    case rejected:
      return {"rejected", "已拒绝"};
  }
  return {};
}

Row row_of(YieldCause cause) {
  switch (cause) {
    using enum YieldCause;
    case claim:
      return {"claim", "申领"};
    case rotation:
      return {"rotation", "轮换"};
    case move:
      return {"move", "迁移"};
    case loan:
      return {"loan called back", "收回借用"};
    case limit:
      return {"own limit", "达到自身时限"};
    case drain:
      return {"drain", "节点排空"};
  }
  return {};
}

Row row_of(ClaimEnd end) {
  switch (end) {
    using enum ClaimEnd;
    case open:
      return {"open", "进行中"};
    case started:
      return {"started", "已启动"};
    case withdrawn:
      return {"withdrawn", "已撤回"};
    case superseded:
      return {"superseded", "被取代"};
    case expired:
      return {"expired", "已过期"};
  }
  return {};
}

Row row_of(ReplicaState state) {
  switch (state) {
    using enum ReplicaState;
    case starting:
      return {"starting", "启动中"};
    case ready:
      return {"ready", "就绪"};
    case draining:
      return {"draining", "排空中"};
    case gone:
      return {"gone", "已退出"};
  }
  return {};
}

Row row_of(event::Exit how) {
  switch (how) {
    using enum event::Exit;
    case done:
      return {"done", "完成"};
    case yielded:
      return {"yielded", "已让出"};
    case failed:
      return {"failed", "失败"};
    case stopped:
      return {"stopped", "被停止"};
    case lost:
      return {"lost", "丢失"};
  }
  return {};
}

Row row_of(decision::StopCause cause) {
  switch (cause) {
    using enum decision::StopCause;
    case cancel:
      return {"cancelled", "取消"};
    case limit:
      return {"limit reached", "达到时限"};
    case member_lost:
      return {"a worker was lost", "失去工作进程"};
    case superseded:
      return {"superseded by a newer run", "被新的运行取代"};
    case emergency:
      return {"emergency", "紧急"};
    case operator_request:
      return {"by an operator", "管理员操作"};
  }
  return {};
}

Row row_of(decision::DrainCause cause) {
  switch (cause) {
    using enum decision::DrainCause;
    case load_fell:
      return {"load fell", "负载下降"};
    case taken:
      return {"taken for other work", "让给其他工作"};
    case update:
      return {"rolling update", "滚动更新"};
    case drain:
      return {"node is drained", "节点排空"};
    case stopped:
      return {"service stopped", "服务停止"};
    case move:
      return {"moved", "迁移"};
    case card_lost:
      return {"card lost", "失去卡"};
  }
  return {};
}

}  // namespace weir::text
