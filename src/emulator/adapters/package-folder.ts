import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Returns a folder of the package: the first one that has a file. A module of the build is in another place than
 * its source, so it names both ways to the folder.
 *
 * @param module `import.meta.url` of the module that asks.
 * @param ways From the module to the folder, each with a slash at its end.
 */
export function packageFolder(
  module: string,
  ways: readonly string[],
  file: string,
): string | undefined {
  const found = ways.find((way) => existsSync(new URL(way + file, module)))
  return found === undefined ? undefined : fileURLToPath(new URL(found, module))
}
