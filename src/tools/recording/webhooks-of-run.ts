import { fieldsOf, listIn, type Fields, type ScenarioPart } from './exchanges.js'

/**
 * Reads the webhooks of a HAR file of this emulator, as parts of a scenario. A delivery that was sent again because its
 * receiver did not take it comes as often, whatever the receiver answers now.
 */
export function webhooksOfRun(log: Fields, world: string | undefined): ScenarioPart | undefined {
  const all = listIn(fieldsOf(log['_svtrain'])['webhooks']).map(fieldsOf)
  const own = all.find((each) => world === undefined || each['world'] === world)
  if (!own) return undefined
  const parts = fieldsOf(own['parts'])
  const repeated = listIn(own['repeated']).map(fieldsOf)
  const webhooks = listIn(parts['webhooks']).map((webhook) => {
    return withDuplicates(fieldsOf(webhook), repeated)
  })
  return { ...parts, webhooks }
}

function withDuplicates(webhook: Fields, repeated: readonly Fields[]): ScenarioPart {
  const numbers = new Map<unknown, unknown[]>()
  for (const { webhook: name, delivery, times } of repeated) {
    if (name !== webhook['name']) continue
    numbers.set(times, [...(numbers.get(times) ?? []), delivery])
  }
  if (numbers.size === 0) return webhook
  const duplicates = [...numbers].map(([times, deliveries]) => {
    return { do: 'duplicate', deliveries, times }
  })
  return { ...webhook, adversary: [...listIn(webhook['adversary']), ...duplicates] }
}
