import { expect } from 'vitest'
import type { Settings } from '../../src/cli/flags.js'
import { parse } from '../../src/cli/parse.js'
import { UsageError } from '../../src/cli/usage-error.js'

/** Splits at spaces, as a shell does; `''` is an empty argument. */
function words(line: string): string[] {
  return line === '' ? [] : line.split(' ').map((word) => (word === "''" ? '' : word))
}

export async function settings(line: string, environment = {}): Promise<Settings> {
  const parsed = await parse(words(line), environment, '1.2.3')
  if (parsed.kind === 'text') throw new Error(`printed instead: ${parsed.text}`)
  return parsed.settings
}

export async function text(line: string, environment = {}): Promise<string> {
  const parsed = await parse(words(line), environment, '1.2.3')
  return parsed.kind === 'text' ? parsed.text : 'no text'
}

export async function refusal(line: string, environment = {}): Promise<string> {
  const error = await settings(line, environment).then(
    () => new Error('accepted'),
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(UsageError)
  return (error as UsageError).message
}

export const defaults: Settings = {
  scenario: undefined,
  port: undefined,
  inferencePort: undefined,
  host: '127.0.0.1',
  allowedHosts: [],
  corsOrigins: [],
  controlToken: undefined,
  apiKeys: [],
  isolate: undefined,
  clock: undefined,
  speed: undefined,
  seed: undefined,
  basePath: undefined,
  dataRoot: undefined,
  data: undefined,
  importFrom: undefined,
  exportOnExit: undefined,
  exportSecrets: true,
  webhooks: [],
  sink: false,
  sinkPort: undefined,
  watch: false,
  log: 'pretty',
}
