import { groupsOf } from '../../base/text/counted.js'
import { UUID } from '../../base/text/uuid.js'

interface Said {
  readonly check: string
  readonly severity?: string
  readonly text: string
  readonly requests?: readonly number[]
}

/** What differs between findings that say the same: the ids and the numbers of what they are about. */
const WHICH = new RegExp(String.raw`\b(?:${UUID.source}|request \d+)`, 'g')

/** Makes one finding of all that say the same about other deliveries, jobs or requests, with the text of the first. */
export function groupedFindings<Finding extends Said>(findings: readonly Finding[]): Finding[] {
  const groups = groupsOf(findings, ({ check, severity, text }) => {
    return JSON.stringify([check, severity, text.replaceAll(WHICH, '')])
  })
  return Array.from(groups.values(), ([first, ...others]) => {
    if (others.length === 0) return first!
    const requests = [first!, ...others].flatMap((each) => each.requests ?? [])
    return {
      ...first!,
      text: `${first!.text} (${others.length + 1} times)`,
      ...(first!.requests && { requests: [...new Set(requests)] }),
    }
  })
}
