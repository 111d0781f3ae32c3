import type { RequestDetail } from '../../emulator/control/schemas/requests.js'
import { sentValues } from '../../emulator/control/sent-value.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { isFailed, lostText } from '../../emulator/testing/format.js'
import { headerLines, type Bodies } from './body.js'
import { markup, type Content } from './markup.js'
import { badge, facts, foldable, latest, table, type Mood } from './page.js'
import type { ShownWorld } from './shown-world.js'

/** The requests of a world, each with everything that is known about it. */
export function requestsPart(
  shown: ShownWorld,
  { entries, total, bodies }: { entries: readonly RequestEntry[]; total: number; bodies: Bodies },
): Content {
  if (total === 0) return markup`<p>No requests.</p>`
  return [
    latest(entries.length, total, 'requests', ' The HAR file has all of them.'),
    markup`<div class="only"><p><label><input type="checkbox"> Only requests that failed or that a fault hit</label></p></div>
`,
    markup`<ul class="rows">${entries.map((entry) => {
      const detail = shown.details.of(entry)
      const isFine = !isFailed(entry) && detail.faults.length + detail.findings.length === 0
      const below = markup`<div id="${shown.anchorOf(entry.id)}">${inside(detail, { shown, bodies })}</div>`
      return markup`<li${isFine && markup` class="fine"`}>${foldable(lineOf(detail, shown, entry.at), below)}</li>
`
    })}</ul>`,
  ]
}

function lineOf(detail: RequestDetail, shown: ShownWorld, at: number): Content {
  const { method, path, query, faults, findings } = detail
  const note = detail.detail ?? detail.effects[0]
  return [
    markup`<span class="time">${shown.since(at)}</span> `,
    markup`<span class="mono">${method} ${path}${query && `?${query}`}</span> `,
    statusBadge(detail),
    faults.map(({ name }) => markup` ${badge(`fault ${name}`, 'warn')}`),
    findings.map(({ check }) => markup` ${badge(`client check ${check}`, 'bad')}`),
    note !== undefined && markup` <span class="quiet">${note}</span>`,
  ]
}

function statusBadge({ status, lost }: RequestDetail): Content {
  const missing = lostText({ status, lost })
  if (missing !== undefined) {
    return badge(status === undefined ? missing : `${status}, ${missing}`, 'bad')
  }
  if (status === undefined) return badge('under way', 'warn')
  return badge(String(status), moodOf(status))
}

function moodOf(status: number): Mood {
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

function inside(
  detail: RequestDetail,
  { shown, bodies }: { shown: ShownWorld; bodies: Bodies },
): Content {
  const { request, response, took, faults, findings, problems } = detail
  return [
    facts([
      ['Request', String(detail.id)],
      ['Operation', detail.operation ?? 'none matched'],
      ['Host', detail.host],
      ['Time', detail.at],
      ['Took', took !== undefined && `${Number(took.toFixed(1))} ms`],
      ['Why', detail.detail],
      ['Suggestion', detail.hint],
      ['Effects', detail.effects.join('; ')],
      ['Faults', faults.map(({ name, fault }) => `${name} (${fault})`).join(', ')],
      ['Chat rule', detail.chat_rule !== null && `chat.rules[${detail.chat_rule}]`],
      ['Client checks', findings.map(({ text }) => shown.text(text)).join('; ')],
      ['Model', detail.model ?? undefined],
      ['Job', detail.job_id ?? undefined],
    ]),
    problems.length > 0 && problemTable(detail, bodies, shown),
    markup`<div class="two"><div>${shown.heading('Request')}${headerLines(request.headers)}${bodies.of(request)}</div>`,
    markup`<div>${shown.heading('Response')}${
      response
        ? [headerLines(response.headers), bodies.of(response)]
        : markup`<p class="quiet">No response.</p>`
    }</div></div>`,
  ]
}

/** The problems of a refused request, beside what the client sent. */
function problemTable(detail: RequestDetail, bodies: Bodies, shown: ShownWorld): Content {
  const { request, problems } = detail
  const body = request.body === null ? null : bodies.text(request.body)
  const sent = sentValues({ ...detail, request: { ...request, body } }, problems)
  return table({
    label: `Problems of ${shown.anchorOf(detail.id)}`,
    columns: ['Where', 'Problem', 'What was sent there'],
    rows: problems.map((problem, at) => {
      const { place, value, note } = sent[at]!
      return [
        markup`<code>${problem.loc.join('.')}</code>`,
        problem.msg,
        [
          value === null ? quiet('not sent') : markup`<code>${value}</code>`,
          place.startsWith('character') && [' ', quiet(place)],
          note !== null && [' ', quiet(note)],
        ],
      ]
    }),
  })
}

function quiet(text: string): Content {
  return markup`<span class="quiet">${text}</span>`
}
