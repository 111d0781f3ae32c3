import { resultOf } from '../../emulator/control/timeline.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { restoreLines, wasRestored } from '../../emulator/testing/before-restore.js'
import { moreText, untilText } from '../../emulator/testing/similar-entries.js'
import { timelineIn, type TimelineLine } from '../../emulator/testing/timeline.js'
import { markup, type Content } from './markup.js'
import { figure, foldable, latest } from './page.js'
import type { ShownWorld } from './shown-world.js'

const MOST_LINES = 1000
const MOST_UPCOMING = 100
const DEEPEST = 4

type Line = TimelineLine<JournalEntry>

/** The lines of `emulator.trace()`. What a line caused right after it folds below it. */
export function tracePart(shown: ShownWorld): Content {
  const { past, next } = timelineIn(shown.world, { shorten: true })
  const restored =
    wasRestored(shown.world) &&
    restoreLines(shown.world).map((text) => markup`<p>${shown.text(text)}</p>`)
  if (past.length === 0 && next.length === 0) return [restored, markup`<p>Nothing happened.</p>`]
  const lines = past.slice(-MOST_LINES)
  const scheduled = next.slice(0, MOST_UPCOMING)
  const later = next.length - scheduled.length
  const now = shown.since(shown.world.clock.now())
  return [
    restored,
    latest(lines.length, past.length, 'lines', ' GET /_emulator/timeline has all.'),
    markup`<ul class="lines">${grouped(lines).map((group) => groupItem(group, shown))}</ul>`,
    scheduled.length > 0 && [
      markup`<p>Now ${now}. Scheduled:</p>`,
      markup`<ul class="lines">${scheduled.map(({ item, depth }) => {
        return itemOf(depth, [time(shown.since(item.at)), arrow(depth), shown.text(item.text)])
      })}</ul>`,
      later > 0 && markup`<p class="quiet">… ${figure(later)} more</p>`,
    ],
  ]
}

/** Each line without a cause before it, with the lines right after it that it caused. */
function grouped(lines: readonly Line[]): Line[][] {
  const groups: Line[][] = []
  let members = new Set<number>()
  for (const line of lines) {
    const { id, cause } = line.item
    if (line.depth > 0 && cause !== undefined && members.has(cause)) {
      groups.at(-1)!.push(line)
      members.add(id)
    } else {
      groups.push([line])
      members = new Set([id])
    }
  }
  return groups
}

function groupItem([first, ...effects]: Line[], shown: ShownWorld): Content {
  const line = lineOf(first!, shown)
  if (effects.length === 0) return itemOf(first!.depth, line)
  const below = markup`<ul class="lines">${effects.map((effect) => {
    return itemOf(effect.depth - first!.depth, lineOf(effect, shown))
  })}</ul>`
  return itemOf(first!.depth, foldable(line, below, { open: true }))
}

function lineOf({ item, depth, more, until }: Line, shown: ShownWorld): Content {
  const text = moreText(item, more, shown.entry(item))
  const linked = shown.linkTo(item, text)
  const { problem } = resultOf(item)
  return [
    time(shown.since(item.at)),
    arrow(depth),
    problem ? markup`<span class="bad">${linked}</span>` : linked,
    untilText(item.at, until, (at) => shown.since(at)),
  ]
}

function itemOf(depth: number, content: Content): Content {
  const deep = Math.min(depth, DEEPEST)
  return markup`<li${deep > 0 && markup` class="deep-${deep}"`}>${content}</li>
`
}

function time(text: string): Content {
  return markup`<span class="time">${text}</span> `
}

function arrow(depth: number): string {
  return depth === 0 ? '' : '→ '
}
