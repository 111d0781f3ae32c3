import type { WorldRecord } from '../../../src/service/engine/saved/records.js'
import { md5Of } from '../../support/platform-records.js'

type Of<Kind extends WorldRecord['kind']> = Extract<WorldRecord, { kind: Kind }>
type Records = readonly WorldRecord[]

/** Reads what clients can know of runs and artifacts from the records of a snapshot. */
export function lookAtPlatform(records: Records, found: Map<string, unknown>): void {
  lookAtRuns(records, found)
  lookAtArtifacts(records, found)
  checkContents(records)
}

function ofKind<Kind extends WorldRecord['kind']>(records: Records, kind: Kind): Of<Kind>[] {
  return records.filter((record) => record.kind === kind) as Of<Kind>[]
}

function lookAtRuns(records: Records, found: Map<string, unknown>): void {
  const names = new Map(ofKind(records, 'run').map(({ key, run }) => [key, run!.name]))
  for (const { key, progress } of ofKind(records, 'run_progress')) {
    found.set(`run:${names.get(key)}`, progress!.state)
    found.set(`lines:${names.get(key)}`, 0)
  }
  for (const { key, lines } of ofKind(records, 'run_lines')) {
    const [run, stream] = key.split(' ') as [string, string]
    const counted = `lines:${names.get(run)}`
    if (stream === 'history') found.set(counted, Number(found.get(counted)) + lines.length)
  }
  for (const { key, file } of ofKind(records, 'run_file')) {
    found.set(`file:${key}`, file!.digest ?? null)
  }
}

function lookAtArtifacts(records: Records, found: Map<string, unknown>): void {
  const names = new Map(ofKind(records, 'collection').map(({ key, name }) => [key, name]))
  for (const { key, artifact } of ofKind(records, 'artifact')) {
    found.set(`artifact:${key}`, artifact!.state)
  }
  for (const { version } of ofKind(records, 'version')) {
    const { collection, aliases, artifact, index } = version!
    const name = names.get(collection)
    for (const alias of aliases) found.set(`alias:${name}:${alias}`, artifact)
    if (aliases.includes('latest')) found.set(`latest:${name}`, `v${index}`)
  }
  const uploads = [...ofKind(records, 'upload'), ...ofKind(records, 'manifest')]
  for (const { artifact, digest } of uploads) {
    const counted = `uploaded:${artifact}`
    if (digest !== undefined) found.set(counted, Number(found.get(counted) ?? 0) + 1)
  }
}

/**
 * Contents must be whole. The emulator has checked that what refers to them is.
 *
 * @throws {Error} When one is another content than its MD5 says.
 */
function checkContents(records: Records): void {
  const contents = new Map<string, Buffer[]>()
  for (const { key, bytes } of ofKind(records, 'content_part')) {
    const [digest] = key.split(' ') as [string]
    const part = Buffer.from(bytes!, 'base64')
    contents.set(digest, [...(contents.get(digest) ?? []), part])
  }
  for (const [digest, parts] of contents) {
    if (md5Of(Buffer.concat(parts)) !== digest) throw new Error(`The content ${digest} is broken.`)
  }
}
