import { expect, it } from 'vitest'
import { createModel, listEvents } from '../../support/trainer.js'
import { describeTransports, type Api } from '../../support/transports.js'

/** Request bodies as the newest Python client sends them, without empty and default values. */

const messages = [{ role: 'user', content: 'hello' }]

const tail = {
  reward: 1,
  metrics: { duration: 0.17, correct: true },
  metadata: { q: 'x', nested: { a: [1, null] } },
}

/** All keys of `experimental_config`, as a plain `train()` sends them. */
const config = {
  advantage_balance: 0,
  allow_training_without_logprobs: false,
  epsilon: null,
  epsilon_high: null,
  importance_sampling_level: 'token',
  kimi_k2_tau: null,
  kl_penalty_coef: 0,
  kl_penalty_reference_step: null,
  kl_penalty_source: 'current_learner',
  kl_penalty_step_lag: null,
  kl_ref_adapter_path: null,
  learning_rate: 5e-6,
  logprob_calculation_chunk_size: 1024,
  loss_fn: 'cispo',
  mask_prob_ratio: false,
  max_negative_advantage_importance_sampling_weight: null,
  normalize_advantages: true,
  num_trajectories_learning_rate_multiplier_power: 0,
  packed_sequence_length: null,
  plot_tensors: false,
  ppo: false,
  precalculate_logprobs: false,
  scale_learning_rate_by_reward_std_dev: false,
  scale_rewards: true,
  truncated_importance_sampling: null,
}

const choice = {
  finish_reason: 'stop',
  index: 0,
  logprobs: {
    content: [{ token: 'token_id:21', bytes: [72], logprob: -0.1, top_logprobs: [] }],
    refusal: null,
  },
  message: {
    content: 'H',
    refusal: null,
    role: 'assistant',
    annotations: null,
    audio: null,
    function_call: null,
    tool_calls: null,
    reasoning: null,
  },
  stop_reason: null,
  token_ids: [21],
  prompt_token_ids: [11, 12, 13],
  art_completion_tokens: 1,
}

async function train(api: Api, trajectory_groups: readonly object[]) {
  const { id: model_id } = await createModel(api)
  const body = { model_id, trajectory_groups, experimental_config: config }
  const { body: job } = await api.post('/preview/training-jobs', body)
  api.emulator.clock.advance(60_000)
  return listEvents(api, job.id)
}

describeTransports('a job of the newest client', (open) => {
  it('trains on choices with all fields of a chat answer, also in additional histories', async () => {
    const history = { messages_and_choices: [...messages, choice] }
    const events = await train(await open(), [
      { trajectories: [{ ...history, additional_histories: [history], ...tail }, { reward: 0 }] },
    ])
    expect(events[1]!.data).toMatchObject({ num_trainable_tokens: 2 })
  })

  it('can have groups with only exceptions, metadata, metrics and logs', async () => {
    const exceptions = [{ type: "<class 'ValueError'>", message: 'no', traceback: 'Traceback …' }]
    const metadata = { deep: [{ er: null }] }
    const events = await train(await open(), [
      { exceptions, metadata, metrics: { tries: 2, fast: true }, logs: ['one'] },
      { trajectories: [{ reward: 1 }, {}], metrics: { tries: 4, fast: true } },
      { trajectories: [{ reward: 1 }, {}], metrics: { tries: 1 } },
    ])
    expect(events[1]!.data).toMatchObject({
      num_groups_submitted: 3,
      num_trajectories: 4,
      exception_rate: 0.2,
      group_metric_tries: 2.5,
      group_metric_fast: 1,
    })
  })
})

describeTransports('the policy of a KL penalty', (open) => {
  const path = (name: string): object => ({ kl_ref_adapter_path: name })
  const trajectories = [0, 1].map((reward) => ({
    messages_and_choices: [...messages, choice],
    reward,
  }))
  const trajectory_groups = [{ trajectories }]

  it.each<[object, string | undefined]>([
    [config, undefined],
    [{ kl_penalty_reference_step: 0 }, undefined],
    [{ kl_penalty_step_lag: 1 }, undefined],
    [path('artifact:///local-team/my-project/my-model:step0'), undefined],
    [
      { kl_penalty_reference_step: 7 },
      'kl_penalty_reference_step is 7, and the model has no such checkpoint',
    ],
    [{ kl_penalty_step_lag: 0 }, 'kl_penalty_step_lag is 0; the least is 1'],
    [
      { kl_penalty_reference_step: 0, kl_penalty_step_lag: 1 },
      'kl_penalty_reference_step and kl_penalty_step_lag exclude each other',
    ],
    [
      path('/adapters/reference'),
      'kl_ref_adapter_path is "/adapters/reference", and no checkpoint has this name',
    ],
  ])('%j trains, and the journal says what is odd: %s', async (experimental_config, hint) => {
    const api = await open()
    const { id: model_id } = await createModel(api)
    const body = { model_id, trajectory_groups, experimental_config }
    expect(await api.post('/preview/training-jobs', body)).toMatchObject({ status: 200 })
    expect(api.emulator.journal.entries.findLast((each) => each.kind === 'request')?.hint).toBe(
      hint,
    )
  })
})
