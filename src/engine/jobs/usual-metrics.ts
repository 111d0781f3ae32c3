import type { Curve, JobKind } from '../../scenario/scenario.js'

/**
 * The metrics of an ordinary job's gradient steps, with the names that real clients know: see
 * docs/contract.md, section 8. The `metrics` of a scenario replace them by name.
 */
export const usualMetrics: Readonly<Record<JobKind, Readonly<Record<string, Curve>>>> = {
  rl: {
    loss: { curve: 'exponential', from: 0.9, to: 0.3, noise: 0.01 },
    policy_loss: { curve: 'exponential', from: 0.85, to: 0.28, noise: 0.01 },
    entropy: { curve: 'linear', from: 1.2, to: 0.8, noise: 0.01 },
    kl_div: { curve: 'linear', from: 0, to: 0.02 },
    grad_norm: { curve: 'exponential', from: 1.8, to: 0.4, noise: 0.02 },
    learning_rate: 5e-6,
  },
  sft: {
    loss: { curve: 'exponential', from: 2.4, to: 0.6, noise: 0.02 },
    grad_norm: { curve: 'exponential', from: 3, to: 0.5, noise: 0.02 },
    tokens_per_second: { curve: 'constant', value: 2400, noise: 50 },
    learning_rate: 2e-4,
  },
}
