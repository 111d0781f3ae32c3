import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const PLACES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const executablePath = PLACES.find((path) => path !== undefined && existsSync(path))

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
