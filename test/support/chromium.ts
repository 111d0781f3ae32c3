import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const PLACES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const executablePath = PLACES.find((path) => path !== undefined && existsSync(path))

/** Why tests in a browser are skipped; undefined where there is one. */
export const noChromium =
  executablePath === undefined
    ? 'there is no Chromium (apt-get install chromium, or name one in CHROMIUM_PATH)'
    : undefined

/** Starts the Chromium of this machine. */
export function launchChromium(): Promise<Browser> {
  // Containers run as root, which Chromium's sandbox refuses.
  return chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
}
