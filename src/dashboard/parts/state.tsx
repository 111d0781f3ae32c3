import type { ComponentChildren } from 'preact'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { figure } from './amounts.js'

/** A state as colored text. */
export function Badge({ tone, children }: { tone: Tone; children: string }): ComponentChildren {
  return <span class={`badge ${tone}`}>{children}</span>
}

type Tone = 'good' | 'bad' | 'busy' | 'warn' | 'idle'

/** The color of a state. Any other word has none. */
const TONES: Readonly<Record<string, Tone>> = {
  ...toned('good', ['ended', 'finished', 'delivered', 'valid', 'enabled', 'served']),
  ...toned('bad', ['failed', 'crashed', 'killed', 'invalid', 'missing', 'disabled']),
  ...toned('busy', ['running', 'pending', 'not served yet']),
  ...toned('warn', [
    'stalled',
    'preempting',
    'preempted',
    'open',
    'unverifiable',
    'no longer served',
  ]),
}

function toned(tone: Tone, states: readonly string[]): Record<string, Tone> {
  return Object.fromEntries(states.map((state) => [state, tone]))
}

/** A state as text in its color. */
export function State({ of: state }: { of: string }): ComponentChildren {
  return <Badge tone={TONES[state] ?? 'idle'}>{state}</Badge>
}

export function JobState({ job }: { job: Job }): ComponentChildren {
  return <State of={jobStateOf(job)} />
}

/** The state of a job: as the service shows it, or that it is stalled. */
export function jobStateOf({ status, stalled }: Job): string {
  return stalled && (status === 'running' || status === 'queued') ? 'stalled' : status
}

/** The steps that are done, as a bar and in numbers. */
export function Progress({ job }: { job: Job }): ComponentChildren {
  const { step, steps } = job
  return (
    <span class="progress">
      <progress
        class={TONES[jobStateOf(job)] ?? 'idle'}
        value={step}
        max={Math.max(1, steps)}
        aria-label="Steps"
      />
      <span class="number">
        {figure(step)} / {figure(steps)}
      </span>
    </span>
  )
}
