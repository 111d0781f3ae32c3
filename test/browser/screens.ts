import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

const approved = join(import.meta.dirname, '..', 'golden', 'screens')

/**
 * How much of what stands on a screen may differ. On one machine, nothing differs: fonts, colors and
 * the way of drawing are fixed. Another version of Chromium may draw the edges of letters differently.
 */
export const TOLERANCE = 0.01

const require = createRequire(import.meta.url)

/** The fonts of all screens: without them, each machine draws them with the fonts that it has. */
const FONTS = [
  [
    'Screens',
    '100 550',
    require.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2'),
  ],
  [
    'Screens',
    '551 900',
    require.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff2'),
  ],
  [
    'Screens Mono',
    '100 550',
    require.resolve('@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff2'),
  ],
  [
    'Screens Mono',
    '551 900',
    require.resolve('@fontsource/dejavu-mono/files/dejavu-mono-latin-700-normal.woff2'),
  ],
] as const

/** Draws all text of a page with two fonts, during a test. To call before the page is opened. */
export async function fixFonts(page: Page): Promise<void> {
  const fonts = await Promise.all(
    FONTS.map(async ([family, weight, file]) => {
      return { family, weight, base64: (await readFile(file)).toString('base64') }
    }),
  )
  const script = await page.addInitScript((files) => {
    for (const { family, weight, base64 } of files) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      document.fonts.add(new FontFace(family, bytes, { weight }))
    }
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      `:root { --sans: Screens; --mono: 'Screens Mono' } * { text-rendering: geometricPrecision }`,
    )
    document.adoptedStyleSheets.push(sheet)
  }, fonts)
  onTestFinished(() => script.dispose())
}

/**
 * How much of what stands on the page differs from the approved screen: 0 is nothing, 1 is all of it.
 * With `APPROVE_SCREENS=1`, what the page shows is approved. A screen that differs too much is saved to
 * the temporary folder.
 */
export async function differenceFromApproved(page: Page, name: string): Promise<number> {
  const shown = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  const file = join(approved, `${name}.png`)
  if (process.env['APPROVE_SCREENS'] === '1') {
    await mkdir(approved, { recursive: true })
    await writeFile(file, shown)
  }
  const golden = await readFile(file)
  if (shown.equals(golden)) return 0
  const difference = await compare(page, shown, golden)
  if (difference > TOLERANCE) await writeFile(join(tmpdir(), `svtrain-${name}.png`), shown)
  return difference
}

/** Compares by blocks of pixels, as a person does who does not look at the edges of letters. */
async function compare(page: Page, left: Buffer, right: Buffer): Promise<number> {
  const images = [left, right].map((image) => `data:image/png;base64,${image.toString('base64')}`)
  const context = page.context()
  // A separate page, because the dashboard refuses foreign images.
  const scratch = scratchPages.get(context) ?? (await context.newPage())
  scratchPages.set(context, scratch)
  return scratch.evaluate(differingShare, images)
}

const scratchPages = new WeakMap<BrowserContext, Page>()

/** Runs in the browser. */
async function differingShare(sources: string[]): Promise<number> {
  const BLOCK = 8
  const VISIBLE = 24
  const [one, other] = await Promise.all(
    sources.map(async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const [width, height] = [image.width / BLOCK, image.height / BLOCK].map(Math.round)
      const canvas = new OffscreenCanvas(width!, height!)
      const context = canvas.getContext('2d')!
      context.imageSmoothingQuality = 'high'
      context.drawImage(image, 0, 0, width!, height!)
      return context.getImageData(0, 0, width!, height!)
    }),
  )
  if (one!.width !== other!.width || one!.height !== other!.height) return 1
  const [left, right] = [one!.data, other!.data]
  const isApart = (a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number): boolean =>
    [0, 1, 2].some((of) => Math.abs(a[i + of]! - b[j + of]!) > VISIBLE)
  // Blocks in the color of the background say nothing. The corner at the bottom has that color.
  const ground = left.slice(-4)
  let [inked, differing] = [0, 0]
  for (let at = 0; at < left.length; at += 4) {
    if (isApart(left, at, ground, 0) || isApart(right, at, ground, 0)) inked++
    if (isApart(left, at, right, at)) differing++
  }
  return differing / inked
}
