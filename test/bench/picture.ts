/**
 * Draws the picture of the benchmark page from the figures of `npm run bench -- users --json <file>`:
 * `npx tsx test/bench/picture.ts <file>`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row, Table } from './table.js'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Name the file that --json wrote.')
const { tables, node } = JSON.parse(readFileSync(file, 'utf8')) as { tables: Table[]; node: string }

const WIDTH = 720
const LEFT = 290
const BAR = 22
const GAP = 8
const drawn = tables.filter(({ title }) => /^(?:A suite|The import|In pytest)/.test(title))

let y = 8
const parts: string[] = []
for (const { title, rows } of drawn) {
  y += 20
  parts.push(text(8, y, `${title}, seconds`, 'font-weight="bold"'))
  const longest = Math.max(...rows.map(wallOf))
  y += GAP
  for (const row of rows) {
    const wall = wallOf(row)
    const length = Math.max(1, (wall / longest) * (WIDTH - LEFT - 90))
    const name = row.name.replaceAll('`', '')
    parts.push(
      text(LEFT - 8, y + 16, name, 'text-anchor="end"'),
      `<rect x="${LEFT}" y="${y}" width="${length.toFixed(1)}" height="${BAR}" fill="#4c78a8"/>`,
      text(LEFT + length + 6, y + 16, (wall / 1000).toPrecision(3)),
    )
    y += BAR + GAP
  }
}
const height = y + 8
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">
<title>What a test costs, measured on Node ${node}</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${parts.join('\n')}
</svg>
`
writeFileSync(join(import.meta.dirname, '..', '..', 'docs', 'images', 'benchmarks.svg'), svg)

function wallOf({ figures }: Row): number {
  return figures[0]!.value
}

function text(x: number, at: number, content: string, more = ''): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x.toFixed(0)}" y="${at}" ${more}>${escaped}</text>`
}
