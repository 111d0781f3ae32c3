import { givenOptions, readConfigFile, refuseUnusable } from '../config-file.js'
import type { DeclaredOptions, ValuesOf } from '../options/declare.js'
import { servedOptions } from '../options/serve.js'
import { servedSettings, type Settings } from '../options/settings.js'
import type { Machine } from './check.js'

const options: DeclaredOptions = servedOptions

/**
 * The settings with which an emulator starts here: those of the project and of the environment.
 *
 * @throws {UsageError} When it would not start with them.
 */
export async function settingsOf({
  environment,
  folder,
}: Pick<Machine, 'environment' | 'folder'>): Promise<Settings> {
  const config = await readConfigFile(folder, environment)
  refuseUnusable({ config, environment })
  const given = Object.entries(givenOptions({ config, environment }))
  const values = Object.fromEntries(
    given.map(([name, value]) => [name, options[name]!.read(name, value)]),
  ) as ValuesOf<typeof servedOptions>
  return servedSettings(values, config)
}
