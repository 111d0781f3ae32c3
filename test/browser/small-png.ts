import { crc32, deflateSync } from 'node:zlib'
import type { BrowserContext } from 'playwright-core'

const PALETTE = 3
const BITS = 8
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

interface Image {
  width: number
  height: number
  /** The colors, as 0xrrggbb. */
  palette: number[]
  /** One character for each pixel: the place of its color in the palette. */
  pixels: string
}

/** Writes a picture with 256 colors. A page of text needs a third of the bytes that a browser writes. */
export async function smallPng(context: BrowserContext, png: Buffer): Promise<Buffer> {
  // A separate page, because the dashboard refuses foreign images.
  const scratch = await context.newPage()
  const source = `data:image/png;base64,${png.toString('base64')}`
  const image = await scratch.evaluate(reduceColors, source)
  await scratch.close()
  return encode(image)
}

/** Runs in the browser. */
async function reduceColors(source: string): Promise<Image> {
  const MOST_COLORS = 256
  const VISIBLE = 16
  const image = new Image()
  image.src = source
  await image.decode()
  const { width, height } = image
  const context = new OffscreenCanvas(width, height).getContext('2d')!
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  const colors = Array.from({ length: width * height }, (_, pixel) => {
    const [red = 0, green = 0, blue = 0] = data.subarray(pixel * 4, pixel * 4 + 3)
    return red * 0x1_00_00 + green * 0x1_00 + blue
  })
  const counts = new Map<number, number>()
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1)
  const parts = (color: number): number[] => [color >> 16, (color >> 8) & 255, color & 255]
  const distance = (one: number, other: number): number => {
    const others = parts(other)
    return parts(one).reduce((sum, part, index) => sum + Math.abs(part - others[index]!), 0)
  }
  // The most common colors first. Those that look like one of them are left out.
  const palette: number[] = []
  const common = [...counts].sort(([, one], [, other]) => other - one)
  for (const [color] of common) {
    if (palette.length === MOST_COLORS) break
    if (palette.every((each) => distance(color, each) >= VISIBLE)) palette.push(color)
  }
  const places = new Map<number, number>()
  for (const color of counts.keys()) {
    const distances = palette.map((each) => distance(color, each))
    places.set(color, distances.indexOf(Math.min(...distances)))
  }
  const pixels = colors.map((color) => String.fromCodePoint(places.get(color)!)).join('')
  return { width, height, palette, pixels }
}

function encode({ width, height, palette, pixels }: Image): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([BITS, PALETTE], 8)
  const colors = Buffer.from(
    palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]),
  )
  const lines = Array.from({ length: height }, (_, line) => {
    return `\0${pixels.slice(line * width, (line + 1) * width)}`
  })
  const data = deflateSync(Buffer.from(lines.join(''), 'latin1'), { level: 9 })
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colors),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(4)
  frame.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(content))
  return Buffer.concat([frame, content, check])
}
