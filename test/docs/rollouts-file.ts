import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes `rollouts.jsonl`: eight groups, of which half have equal rewards, and a line that the service refuses. */
export function writeRollouts(folder: string): void {
  const rollout = (reward: unknown, prompt = 'Guess.'): object => {
    const message = { role: 'assistant', content: 'Heads.' }
    const choice = { index: 0, finish_reason: 'stop', message }
    return { messages_and_choices: [{ role: 'user', content: prompt }, choice], reward }
  }
  const groups = Array.from({ length: 8 }, (_, at) => {
    return [rollout(at < 4 ? 1 : 0), rollout(0, at === 2 ? 'Count.' : 'Guess.')]
  })
  const rows = [...groups, [rollout('high')]].map((trajectories) =>
    JSON.stringify({ trajectories }),
  )
  writeFileSync(join(folder, 'rollouts.jsonl'), rows.join('\n'))
}
