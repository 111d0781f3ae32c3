import { groupsOf } from '../../base/text/counted.js'
import { isChat, type Exchange } from './exchanges.js'

/**
 * Names the calls that may have changed something although nothing shows it: their answers were lost, or a gateway
 * answered in place of the service.
 *
 * @param worked Calls that took effect for certain.
 */
export function unknownEffects(
  exchanges: readonly Exchange[],
  worked: ReadonlySet<Exchange>,
): string[] {
  const calls = exchanges.filter(mayChange)
  return [...groupsOf(calls, ({ operation }) => operation)].flatMap(([operation, made]) => {
    const numbers = made.flatMap((each, index) => {
      return isWithoutAnswer(each) && !worked.has(each) ? [index + 1] : []
    })
    if (numbers.length === 0) return []
    const which = `call${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')} of ${operation}`
    return [
      `Nothing shows whether ${which} took effect: the service gave no answer. Here it took none. If it did, make the scenario with --lost-took-effect.`,
    ]
  })
}

/** Finds the calls that may have changed something, and got no answer. */
export function lostChanges(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter((each) => mayChange(each) && isWithoutAnswer(each))
}

function mayChange(exchange: Exchange): boolean {
  return exchange.operation !== undefined && exchange.method === 'POST' && !isChat(exchange)
}

function isWithoutAnswer({ how, status }: Exchange): boolean {
  if (status === undefined) return how === 'lost' || how === 'client_left'
  return status === 502 || status === 504
}
