import type { Line } from '../kit/line.js'
import { color } from '../kit/plot.js'

/** Saves a file on the user's machine. */
export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  // Names of models may have characters that names of files must not have.
  const safe = name.replaceAll(/[^\w.-]+/g, '-')
  // The end says what kind of file it is.
  link.download = safe.slice(0, 90) + safe.slice(90).slice(-10)
  link.click()
  URL.revokeObjectURL(url)
}

/** The image of a plot with its title and the names of its lines. */
export async function pngOf(
  plot: HTMLElement,
  title: string,
  lines: readonly Line[],
): Promise<Blob> {
  const drawn = plot.querySelector('canvas')!
  const unit = devicePixelRatio
  const size = 12 * unit
  const line = 18 * unit
  const [top, bottom] = [28 * unit, (lines.length > 1 ? lines.length : 0) * line + 8 * unit]
  const canvas = document.createElement('canvas')
  canvas.width = drawn.width
  canvas.height = top + drawn.height + bottom
  const to = canvas.getContext('2d')!
  to.fillStyle = color('--page')
  to.fillRect(0, 0, canvas.width, canvas.height)
  const font = getComputedStyle(document.body).fontFamily
  to.font = `600 ${size}px ${font}`
  to.fillStyle = color('--text')
  to.fillText(title, 8 * unit, 18 * unit, canvas.width - 16 * unit)
  to.drawImage(drawn, 0, top)
  to.font = `${size}px ${font}`
  if (lines.length > 1) {
    for (const [at, { label, color: of }] of lines.entries()) {
      const y = top + drawn.height + at * line
      to.fillStyle = color(of)
      to.fillRect(8 * unit, y + 4 * unit, 12 * unit, 4 * unit)
      to.fillStyle = color('--text')
      to.fillText(label, 28 * unit, y + 10 * unit, canvas.width - 36 * unit)
    }
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob)
      else reject(new Error('Failed to write the image: the browser made no file.'))
    }, 'image/png')
  })
}
