/** A scenario to start from. It is valid. */
export function scenarioTemplate(name: string): string {
  return `# Try it:   svtrain-emulator play ./<this file>
# Check it: svtrain-emulator scenarios check ./<this file>
# Serve it: svtrain-emulator --scenario ./<this file> --watch
name: ${name}
description: The first job of a model fails; later ones go well.

# What \`play\` submits.
play:
  jobs:
    - { kind: rl, model: my-model, trajectories: 8 }
    - { kind: rl, model: my-model, trajectories: 8 }

# Each job follows the first rule that matches it.
jobs:
  - match: { kind: rl, ordinal: 1 }
    timeline:
      - { event: training_started, after: 2s }
      - { event: gradient_step, every: 1s, count: 3 }
      - { event: training_failed, after: 500ms, error_message: out of patience }
  - timeline:
      - { event: training_started, after: 1s }
      - event: gradient_step
        every: 500ms
        metrics:
          loss: { curve: exponential, from: 2, to: 0.4, noise: 0.02 }
          reward: { curve: linear, from: 0.1, to: 0.9 }
      - { event: training_ended, after: 1s }

# Calls that go wrong. Remove the # to refuse the second page of events once.
# faults:
#   - { fault: status, status: 503, match: { operation: listTrainingJobEvents }, calls: 2 }
`
}
