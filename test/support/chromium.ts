import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** The best one first: without a window to draw, the first one needs a third less time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

const folders = (process.env['PATH'] ?? '').split(delimiter)

const executablePath = [
  process.env['CHROMIUM_PATH'],
  ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
].find((path) => path !== undefined && existsSync(path))

/** Why browser tests are skipped. Undefined if the machine has a browser. */
export const noChromium =
  executablePath === undefined
    ? 'there is no Chromium (apt-get install chromium, or name one in CHROMIUM_PATH)'
    : undefined

/**
 * Chromium draws the same pixels with these, whatever the screen, the fonts' settings and the graphics
 * card of the machine are.
 */
const SAME_PIXELS = [
  '--disable-gpu',
  '--force-color-profile=srgb',
  '--force-device-scale-factor=1',
  '--font-render-hinting=none',
  '--disable-font-subpixel-positioning',
  '--disable-lcd-text',
  '--disable-partial-raster',
  '--disable-skia-runtime-opts',
  '--hide-scrollbars',
]

/** Starts the Chromium of this machine, with additional environment variables and flags. */
export function launchChromium(
  variables: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    // Chromium's sandbox refuses to run as root, as in containers.
    args: ['--no-sandbox', ...SAME_PIXELS, ...flags],
    env: { ...process.env, ...variables },
  })
}
