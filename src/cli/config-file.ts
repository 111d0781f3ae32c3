import { join } from 'node:path'
import { parseJson } from '../base/text/json-text.js'
import { didYouMean } from '../base/text/nearest.js'
import {
  CONFIG_VARIABLE,
  optionsIn,
  refuseUnknownVariables,
  type Environment,
  type GivenOptions,
} from './environment.js'
import type { DeclaredOptions } from './options/declare.js'
import { servedOptions } from './options/serve.js'
import { textOfFile } from './text-of-file.js'
import { UsageError } from './usage-error.js'

const options: DeclaredOptions = servedOptions

const FILE = 'svtrain.config.yaml'
const MANIFEST = 'package.json'
/** The key of the manifest, which is the name of our package. */
const KEY = 'svtrain-emulator'

/** What a project sets for each start in its folder. */
export interface ConfigFile {
  /** For people: `svtrain.config.yaml`, or `svtrain-emulator in package.json`. Undefined if there is none. */
  readonly name: string | undefined
  readonly options: GivenOptions
  /** Why it cannot be used. Commands that start no emulator do not mind. */
  readonly problem?: string
}

export const NO_CONFIG: ConfigFile = { name: undefined, options: {} }

/** Where a start gets options from, beside its command line. */
interface Sources {
  readonly config: ConfigFile
  readonly environment: Environment
}

/** Returns the options that a command gets without its command line. Variables have priority over the project. */
export function givenOptions({ config, environment }: Sources): GivenOptions {
  return { ...config.options, ...optionsIn(environment) }
}

/** @throws {UsageError} When an emulator cannot start with what the variables or the project set. */
export function refuseUnusable({ config, environment }: Sources): void {
  refuseUnknownVariables(environment)
  if (config.problem !== undefined) throw new UsageError(config.problem)
}

/** Reads svtrain.config.yaml in a folder, or else the key `svtrain-emulator` of the package.json there. */
export async function readConfigFile(
  folder: string,
  environment: Environment,
): Promise<ConfigFile> {
  if (environment[CONFIG_VARIABLE] === 'none') return NO_CONFIG
  const text = textOfFile(join(folder, FILE))
  const inManifest = configOfManifest(textOfFile(join(folder, MANIFEST)))
  const name = text === undefined ? `${KEY} in ${MANIFEST}` : FILE
  try {
    if (text === undefined) {
      return inManifest === undefined ? NO_CONFIG : { name, options: optionsOf(inManifest, name) }
    }
    if (inManifest !== undefined) {
      throw new UsageError(`${FILE} and ${KEY} in ${MANIFEST} both set options. Keep one of them.`)
    }
    const { parse } = await import('yaml')
    // Values stay as they are written: a key can be `007`.
    const config: unknown = parse(text, { schema: 'failsafe' }) ?? {}
    return { name, options: optionsOf(config, name) }
  } catch (error) {
    const why =
      error instanceof UsageError
        ? error.message
        : `${name}: ${(error as Error).message.split('\n', 1)[0]}`
    return { name, options: {}, problem: why }
  }
}

/** The manifest is not ours: if it cannot be read, npm says why. */
function configOfManifest(text: string | undefined): unknown {
  if (!text?.includes(`"${KEY}"`)) return undefined
  return (Object(parseJson(text)) as Record<string, unknown>)[KEY]
}

/** @throws {UsageError} When a key is no option of the emulator, or its value is no text, number, flag or list. */
function optionsOf(config: unknown, file: string): GivenOptions {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(`${file} must have options and their values, such as "port: 4700".`)
  }
  const known = Object.keys(options)
  const entries = Object.entries(config).map(([name, value]) => {
    const named = `${name} in ${file}`
    if (!known.includes(name)) {
      const hint = didYouMean(name, known, (each) => each) || ` Known: ${known.join(', ')}.`
      throw new UsageError(`Unknown option "${name}" in ${file}.${hint}`)
    }
    if (Array.isArray(value) && !options[name]!.array) {
      throw new UsageError(`${named} can be given only once.`)
    }
    const given = [value as unknown].flat().map((each) => {
      if (['string', 'number', 'boolean'].includes(typeof each))
        return { named, text: String(each) }
      throw new UsageError(`${named} must be a text, a number, true, false, or a list of these.`)
    })
    return [name, Array.isArray(value) ? given : given[0]!] as const
  })
  return Object.fromEntries(entries)
}
