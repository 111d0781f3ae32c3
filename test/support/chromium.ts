import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

const executablePath = [
  process.env['CHROMIUM_PATH'],
  ...(process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name))),
].find((path) => path !== undefined && existsSync(path))

/** Why browser tests are skipped. Undefined if the machine has a browser. */
export const noChromium =
  executablePath === undefined
    ? 'there is no Chromium (apt-get install chromium, or name one in CHROMIUM_PATH)'
    : undefined

/** Starts the Chromium of this machine, with additional environment variables. */
export function launchChromium(variables: Record<string, string> = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    // Chromium's sandbox refuses to run as root, as in containers.
    args: ['--no-sandbox'],
    env: { ...process.env, ...variables },
  })
}
