import type { ComponentChildren } from 'preact'
import type { RequestDetail } from '../../emulator/control/schemas/requests.js'
import { linkTo } from '../parts/link.js'
import { lostText } from '../parts/request-row.js'
import { Findings } from '../parts/findings.js'

/** Why the request was refused or lost, and what the client checks say. Nothing if all went well. */
export function Why({ of: detail }: { of: RequestDetail }): ComponentChildren {
  const { status = 0, lost, problems, faults, findings, hint, chat_rule: rule } = detail
  const refused = status >= 400
  const heading = refused ? 'Why it was refused' : 'Why it got no answer'
  return (
    <>
      {(refused || lost !== undefined) && (
        <section class="why note stack" aria-label={heading}>
          <h2>{heading}</h2>
          {lost !== undefined && <p>{lostText(detail)}</p>}
          {problems.length > 0 ? <Problems of={detail} /> : <p>{detail.detail}</p>}
          {hint !== undefined && <p>{hint}</p>}
          <Faults of={faults} verb="Caused" />
        </section>
      )}
      {!refused && lost === undefined && (hint !== undefined || faults.length > 0) && (
        <section class="why mild note stack" aria-label="Notes">
          <h2>Notes</h2>
          {hint !== undefined && <p>{hint}</p>}
          <Faults of={faults} verb="Affected" />
        </section>
      )}
      {rule !== null && (
        <p>
          Rule {rule + 1} of <code>chat.rules</code> in the{' '}
          {linkTo({ page: 'scenario' }, 'scenario')} answered.
        </p>
      )}
      <Findings of={findings} id={detail.id} />
    </>
  )
}

/** What is wrong with each place, next to the value that was sent there. */
function Problems({ of: detail }: { of: RequestDetail }): ComponentChildren {
  return (
    <ol class="problems stack">
      {detail.problems.map(({ msg, sent: { part, place, value, note } }, at) => (
        <li key={at}>
          <p>
            <b>{msg}</b>{' '}
            <span class="faint">
              {place !== '' && <code>{place}</code>} in the {part}
            </span>
          </p>
          <p class="sent">
            <span class="faint">{value === null ? 'Not sent.' : 'You sent'}</span>{' '}
            {value !== null && <code>{value}</code>} <span class="faint">{note}</span>
          </p>
        </li>
      ))}
    </ol>
  )
}

interface FaultsProps {
  of: RequestDetail['faults']
  verb: string
}

function Faults({ of: faults, verb }: FaultsProps): ComponentChildren {
  return faults.map(({ id, name, fault }) => (
    <p key={id}>
      {verb} by the fault {linkTo({ page: 'faults' }, name)}{' '}
      <span class="faint">
        {fault}, {id}
      </span>
    </p>
  ))
}
