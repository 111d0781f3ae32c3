import { ControlError, UnreachableError, type Client } from '../../compose/create-client.js'
import type { ControlDelivery } from '../../emulator/control/schemas/deliveries.js'
import { loginOf, withoutLogin } from '../../base/text/authority.js'
import { shortened } from '../../base/text/shortened.js'
import { networkError } from '../../base/text/network-error.js'
import { CountError, type EqualEvents } from '../../webhooks/sending/count-events.js'
import { runningClient } from './running-emulator.js'

/** What `check-receiver` counts with: the URL of a receiver's author, and jobs in a running emulator. */

const DEFAULT_MODEL = 'svtrain-test'

/** Reads how often a receiver has acted, within some milliseconds. */
export async function readCount(url: string, within: number): Promise<number> {
  const { ok, status, text } = await answerOf(url, within)
  if (ok && /^\d{1,15}$/.test(text)) return Number(text)
  const answer = shortened(text, LONGEST)
  throw new CountError(
    'failed',
    `--count-url takes a URL that answers 200 with a whole number, such as 3; it answered ${status} ${JSON.stringify(answer)}`,
  )
}

async function answerOf(url: string, within: number) {
  try {
    const authorization = loginOf(new URL(url))
    const response = await fetch(withoutLogin(url), {
      headers: { ...(authorization && { authorization }) },
      signal: AbortSignal.timeout(within),
    })
    return { ok: response.ok, status: response.status, text: (await response.text()).trim() }
  } catch (error) {
    throw new CountError('failed', `--count-url gave no whole answer: ${networkError(error)}`)
  }
}

const LONGEST = 60

/** Jobs of one model in a running emulator. Those that run alike have deliveries with equal bytes. */
export function eventsIn(url: string, model = DEFAULT_MODEL): EqualEvents {
  const client = runningClient({ emulator: url })
  let latest: ControlDelivery[] = []
  const seen = new Set<string>()
  let jobs = 0

  const runJob = async (): Promise<void> => {
    if (jobs === 0) await assertFresh(client, model)
    const { id } = await client.jobs.create({ model })
    await client.settle()
    latest = await client.deliveries.list({ job: id })
    assertDelivered(latest)
    jobs++
    if (jobs > 1 && !latest.some(({ body }) => seen.has(body))) {
      throw new CountError(
        'impossible',
        `no two jobs of the model "${model}" had deliveries with equal bytes. The default payload of the emulator has them`,
      )
    }
    for (const { body } of latest) seen.add(body)
  }

  const repeat = async (): Promise<void> => {
    for (const { id } of latest) await client.deliveries.resend(id)
  }
  return { happen: () => explained(runJob), repeat: () => explained(repeat) }
}

/** A receiver that hashes bodies drops what it saw in earlier jobs, so nothing would differ any more. */
async function assertFresh(client: Client, model: string): Promise<void> {
  const jobs = await client.jobs.list({ model }).catch((error: unknown) => {
    if (error instanceof ControlError && error.status === 404) return []
    throw error
  })
  if (jobs.length === 0) return
  throw new CountError(
    'impossible',
    `the model "${model}" has had jobs, whose deliveries had the same bytes. Pass --model with one that has had none, or reset the emulator`,
  )
}

function assertDelivered(deliveries: readonly ControlDelivery[]): void {
  if (deliveries.length === 0) {
    throw new CountError(
      'impossible',
      'the emulator sent nothing when a job ran. Start it with --webhook <the URL of your receiver>',
    )
  }
  const lost = deliveries.find(({ state }) => state !== 'delivered')
  if (!lost) return
  const why = lost.diagnosis ?? 'There is no answer yet.'
  throw new CountError('failed', `a delivery of the emulator was not accepted. ${why}`)
}

/** Calls the emulator. The reason why it does not do it goes into the report: it says nothing about the receiver. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ControlError || error instanceof UnreachableError)) throw error
    throw new CountError('impossible', error.message)
  }
}
