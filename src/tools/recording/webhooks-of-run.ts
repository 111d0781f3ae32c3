import { groupsOf } from '../../base/text/counted.js'
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
  const own = repeated.filter((each) => each['webhook'] === webhook['name'])
  if (own.length === 0) return webhook
  const duplicates = Array.from(
    groupsOf(own, (each) => each['times']),
    ([times, alike]) => {
      return { do: 'duplicate', deliveries: alike.map((each) => each['delivery']), times }
    },
  )
  return { ...webhook, adversary: [...listIn(webhook['adversary']), ...duplicates] }
}
