import { countedSends } from '../../base/text/sends.js'
import { deliveryStates } from '../../emulator/control/delivery-state.js'
import type { ControlDelivery } from '../../emulator/control/schemas/deliveries.js'
import { headerLines, type Bodies } from './body.js'
import { markup, type Content } from './markup.js'
import { badge, facts, foldable, latest, list, table, type Mood } from './page.js'
import type { ShownWorld } from './shown-world.js'

const MOST = 200

/** The deliveries of a world, with their attempts and what the emulator says about their signatures. */
export async function deliveriesPart(shown: ShownWorld, bodies: Bodies): Promise<Content> {
  const { deliveries: all } = shown.world.webhooks
  if (all.length === 0) return undefined
  const deliveries = await deliveryStates(all.slice(-MOST), shown.world, { why: true })
  return [
    latest(deliveries.length, all.length, 'deliveries'),
    list(
      deliveries.map((delivery) =>
        foldable(lineOf(delivery, shown), inside(delivery, { shown, bodies })),
      ),
    ),
  ]
}

const MOODS: Readonly<Record<ControlDelivery['state'], Mood>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'warn',
}

function lineOf(
  { text, webhook, state, verdict, attempts, created_at }: ControlDelivery,
  shown: ShownWorld,
): Content {
  return [
    markup`<span class="time">${shown.since(Date.parse(created_at))}</span> `,
    `${shown.text(text)} to ${shown.text(webhook)} `,
    badge(state, MOODS[state]),
    ` ${countedSends(attempts)} `,
    verdict !== null && badge(`signature ${verdict}`, verdict === 'valid' ? 'good' : 'warn'),
  ]
}

function inside(
  delivery: ControlDelivery,
  { shown, bodies }: { shown: ShownWorld; bodies: Bodies },
): Content {
  const { id, automation, url, job_id, diagnosis, attempts } = delivery
  const headers = Object.fromEntries(
    Object.entries(delivery.headers).map(([name, value]) => [name, shown.text(value)]),
  )
  const body = shown.text(delivery.body)
  return [
    facts([
      ['Delivery', id],
      ['Automation', shown.text(automation)],
      ['URL', shown.text(url)],
      ['Job', job_id ?? undefined],
      ['Problem', diagnosis === null ? undefined : shown.text(diagnosis)],
    ]),
    attempts.length > 0 &&
      table({
        label: `Attempts of delivery ${id}`,
        columns: [
          { name: 'Attempt', is: 'number' },
          { name: 'Time', is: 'short' },
          { name: 'Status', is: 'short' },
          { name: 'Took', is: 'number' },
          'Error or answer',
        ],
        rows: attempts.map(
          ({ attempt, copy, at, status, took, error, response_excerpt: answer }) => [
            copy === undefined ? attempt : `copy ${copy}`,
            shown.since(Date.parse(at)),
            status ?? 'no response',
            `${Number(took.toFixed(1))} ms`,
            shown.text(error ?? answer ?? ''),
          ],
        ),
      }),
    shown.heading('What was sent'),
    headerLines(headers),
    bodies.of({ body, size: body.length, state: 'whole' }),
  ]
}
