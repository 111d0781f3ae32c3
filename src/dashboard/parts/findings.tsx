import type { ComponentChildren } from 'preact'
import type { ClientCheckFinding } from '../../emulator/control/schemas/client-checks.js'
import { hrefOf } from '../routes.js'
import { figure } from './amounts.js'

interface FindingsProps {
  of: readonly ClientCheckFinding[]
  /** The id of the request that the page is about. It is not linked. */
  id: number | null
}

/** What the client checks say. Nothing if they found nothing. */
export function Findings({ of: findings, id }: FindingsProps): ComponentChildren {
  if (findings.length === 0) return null
  return (
    <section class="why mild note stack" aria-label="Client checks">
      <h2>Client checks</h2>
      {findings.map(({ check, text, requests }) => (
        <p key={`${check} ${text}`}>
          <code>{check}</code> {text}{' '}
          {requests
            .filter((each) => each !== id)
            .map((each) => (
              <a class="inline" key={each} href={hrefOf({ page: 'request', id: String(each) })}>
                request {figure(each)}{' '}
              </a>
            ))}
        </p>
      ))}
    </section>
  )
}
