import { counted } from '../../base/text/counted.js'
import type { Exchange } from './exchanges.js'
import { RecordingError } from './recording-error.js'
import type { RecordedKind } from './recording.js'

/**
 * Leaves out what the recorder answered itself, because it says nothing about the service.
 *
 * @throws {RecordingError} When nothing is left.
 */
export function reachedIn(all: readonly Exchange[], source: string): Exchange[] {
  const reached = all.filter(({ how }) => how !== 'unreached')
  if (reached.length > 0 || all.length === 0) return reached
  throw new RecordingError(
    `${source} has ${counted(all.length, 'request')}, and none reached the service. Check --training-url and the network, and record again.`,
  )
}

/** @throws {RecordingError} When there is no call that a scenario could answer. */
export function assertUsable(
  exchanges: readonly Exchange[],
  { source, kind }: { source: string; kind: RecordedKind },
): void {
  const isRecording = kind === 'recording'
  if (exchanges.length === 0) {
    const fix = isRecording
      ? 'Point your client at the ports of `svtrain-emulator record`, and run it.'
      : 'Save it after your client has called the service.'
    throw new RecordingError(
      `${source} has no requests, so there is nothing to make a scenario from. ${fix}`,
    )
  }
  if (exchanges.some(({ operation }) => operation !== undefined)) return
  const paths = [...new Set(exchanges.map(({ method, path }) => `${method} ${path}`))]
  const shown = paths.slice(0, 3).join(', ')
  throw new RecordingError(
    `${source} has ${counted(exchanges.length, 'request')}, but none of an operation of the service: ${shown}. Expected ${isRecording ? 'paths below the base URL, such as POST /preview/training-jobs. Check --training-url: it ends with /v1.' : 'addresses such as POST https://api.example.com/v1/preview/training-jobs.'}`,
  )
}

/** Operations that other services have, too. A recording of nothing else is probably one of those. */
const USUAL = new Set(['healthCheck', 'listServedModels'])

/** @throws {RecordingError} When the calls show nothing that a scenario would do. */
export function assertTelling(
  exchanges: readonly Exchange[],
  { source, faults }: { source: string; faults: readonly unknown[] },
): void {
  const known = exchanges.flatMap(({ operation }) => operation ?? [])
  const isOther = known.every((operation) => USUAL.has(operation))
  if (faults.length > 0 && !isOther) return
  const names = [...new Set(known)].join(', ')
  throw new RecordingError(
    `${source} shows nothing that a scenario would do: no job, no chat with its contents${isOther ? ', and only calls that other services have, too' : ', and no refused or lost call'}. It has ${names}. Save the calls of a client that trains.`,
  )
}
