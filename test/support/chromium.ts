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

/** Why tests in a browser are skipped; undefined if the machine has one. */
export const noChromium =
  executablePath === undefined
    ? 'there is no Chromium (apt-get install chromium, or name one in CHROMIUM_PATH)'
    : undefined

/** Starts the Chromium of this machine, with these environment variables besides its usual ones. */
export function launchChromium(variables: Record<string, string> = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    // Containers run as root, which Chromium's sandbox refuses.
    args: ['--no-sandbox'],
    env: { ...process.env, ...variables },
  })
}
