import { expect } from 'vitest'
import type { Settings } from '../../src/cli/options/settings.js'
import { runProgram } from '../../src/cli/program.js'
import type { Output } from '../../src/cli/terminal.js'
import { UsageError } from '../../src/cli/usage-error.js'

/** Splits at spaces, as a shell does; `''` is an empty argument. */
function words(line: string): string[] {
  return line === '' ? [] : line.split(' ').map((word) => (word === "''" ? '' : word))
}

interface Parsed {
  /** The options that the emulator would start with. */
  settings: Settings | undefined
  /** The printed text. */
  text: string
}

interface Surroundings {
  environment?: object
  /** The folder of the project. */
  folder?: string
  columns?: number
}

async function parse(
  line: string,
  { environment = {}, folder, columns = 100 }: Surroundings = {},
): Promise<Parsed> {
  const parsed: Parsed = { settings: undefined, text: '' }
  const write = (printed: string): void => void (parsed.text += printed)
  const output: Output = { write, paint: (_style, plain) => plain }
  await runProgram(words(line), {
    terminal: { ...output, writeError: write, errors: output },
    environment: { ...environment },
    ...(folder !== undefined && { folder }),
    program: 'npx svtrain-emulator',
    version: '1.2.3',
    columns,
    serve: async (given) => void (parsed.settings = given),
  })
  return parsed
}

export async function settings(line: string, environment = {}, folder?: string): Promise<Settings> {
  const parsed = await parse(line, { environment, ...(folder !== undefined && { folder }) })
  if (!parsed.settings) throw new Error(`printed instead: ${parsed.text}`)
  return parsed.settings
}

export async function text(line: string, environment = {}, columns = 100): Promise<string> {
  return (await parse(line, { environment, columns })).text
}

export async function refusal(line: string, environment = {}, folder?: string): Promise<string> {
  const error = await settings(line, environment, folder).then(
    () => new Error('accepted'),
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(UsageError)
  return (error as UsageError).message
}

export const defaults: Settings = {
  config: undefined,
  scenario: undefined,
  port: undefined,
  inferencePort: undefined,
  host: '127.0.0.1',
  allowedHosts: [],
  corsOrigins: [],
  controlToken: undefined,
  apiKeys: [],
  serveAnyModel: undefined,
  baseModels: [],
  isolate: undefined,
  keepJobs: undefined,
  contract: undefined,
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
  readyFile: undefined,
  log: 'pretty',
}
