import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const approved = join(import.meta.dirname, '..', 'golden', 'screens')

/** How much of what stands on a screen may differ: other machines draw letters a little otherwise. */
export const TOLERANCE = 0.3

/**
 * How much of what stands on the page differs from the approved screen, 0 being nothing. With
 * `APPROVE_SCREENS=1`, what it shows is approved. Where it differs too much, it is kept to be looked at.
 */
export async function differenceFromApproved(page: Page, name: string): Promise<number> {
  const shown = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  const file = join(approved, `${name}.png`)
  if (process.env['APPROVE_SCREENS'] === '1') {
    await mkdir(approved, { recursive: true })
    await writeFile(file, shown)
  }
  const difference = await compare(page, shown, await readFile(file))
  if (difference > TOLERANCE) await writeFile(join(tmpdir(), `svtrain-${name}.png`), shown)
  return difference
}

/** Compares by blocks of pixels, as a person does who does not look at the edges of letters. */
async function compare(page: Page, left: Buffer, right: Buffer): Promise<number> {
  // A page of its own: the dashboard's refuses images that are not its own.
  const scratch = await page.context().newPage()
  const images = [left, right].map((image) => `data:image/png;base64,${image.toString('base64')}`)
  const difference = await scratch.evaluate(differingShare, images)
  await scratch.close()
  return difference
}

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
  // The page's ground, of which there is much and which says nothing, is the corner at the bottom.
  const ground = left.slice(-4)
  let [inked, differing] = [0, 0]
  for (let at = 0; at < left.length; at += 4) {
    if (isApart(left, at, ground, 0) || isApart(right, at, ground, 0)) inked++
    if (isApart(left, at, right, at)) differing++
  }
  return differing / inked
}
