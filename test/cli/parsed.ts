import type { Settings } from '../../src/cli/options/settings.js'
import { refused, run } from './commands.js'

/** The settings with which a command line serves the emulator. */
export async function settings(
  line: string,
  environment: NodeJS.ProcessEnv = {},
  folder?: string,
): Promise<Settings> {
  let given: Settings | undefined
  const serve = async (served: Settings): Promise<void> => void (given = served)
  const surroundings = { environment, ...(folder !== undefined && { folder }), serve }
  const { stdout } = await run(line, surroundings)
  if (!given) throw new Error(`printed instead: ${stdout}`)
  return given
}

/** What a command line prints. */
export async function text(
  line: string,
  environment: NodeJS.ProcessEnv = {},
  columns = 100,
): Promise<string> {
  return (await run(line, { environment, columns })).stdout
}

/** Why a command line that would serve the emulator is refused. */
export async function refusal(
  line: string,
  environment: NodeJS.ProcessEnv = {},
  folder?: string,
): Promise<string> {
  const surroundings = { environment, ...(folder !== undefined && { folder }) }
  return (await refused(line, surroundings)).message
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
