import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { RequestDetail } from '../../emulator/control/schemas/requests.js'
import { isStream } from '../data/chat-answer.js'
import { call, isMissing } from '../data/control.js'
import { isRequest } from '../data/live.js'
import { useLive } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { HeaderList } from '../kit/http-message.js'
import { linkTo } from '../parts/link.js'
import { BodyView, StreamEnd } from '../parts/body-view.js'
import { CopyButton } from '../parts/copy-button.js'
import { curlOf, KEY_VARIABLE } from '../parts/curl.js'
import { Status } from '../parts/request-row.js'
import { Loaded, Page } from '../parts/page.js'
import { figure, lasting } from '../parts/amounts.js'
import { Name, Facts } from '../parts/facts.js'
import { shortId } from '../parts/names.js'
import { hrefOf } from '../routes.js'
import { Why } from './request-why.js'
import { Effects } from './request-effects.js'

/** Everything about one request: why it was refused, what was sent both ways, and what it caused. */
export function RequestPage({ id }: { id: string }): ComponentChildren {
  const params = { request_id: id }
  const { value, error, reload } = useLoaded(
    () => call('GET /requests/{request_id}', { params }),
    id,
  )
  // The stream sends a request when it is answered.
  const answered = useLive((live) => live.entries.some((entry) => String(entry.id) === id))
  useEffect(() => {
    if (answered) reload()
  }, [answered, reload])
  const isGone = isMissing(error)
  return (
    <>
      <Loaded of={{ value: isGone ? undefined : value, error }} what="request">
        {(detail) => <Details of={detail} reload={reload} />}
      </Loaded>
      {isGone && (
        <p>
          The journal keeps the latest entries, and a reset empties it.{' '}
          {linkTo({ page: 'requests' }, 'All requests')}
        </p>
      )}
    </>
  )
}

interface DetailsProps {
  of: RequestDetail
  reload: () => void
}

function Details({ of: detail, reload }: DetailsProps): ComponentChildren {
  const title = (
    <span class="request-title">
      <span class="faint">{detail.method}</span> <Name of={detail.path} /> <Status of={detail} />
    </span>
  )
  const neighbors = <Neighbors id={detail.id} />
  return (
    <Page title={title} above={neighbors} summary={<Summary of={detail} />}>
      <Why of={detail} />
      <Effects of={detail} />
      <Sent of={detail} />
      <Answer of={detail} reload={reload} />
    </Page>
  )
}

function Summary({ of: detail }: { of: RequestDetail }): ComponentChildren {
  const { id, host, path, query, operation, at, took, model, job_id: job, world } = detail
  return (
    <>
      {(query || path.length > 40) && (
        <p class="mono">
          {path}
          {query && `?${query}`}
        </p>
      )}
      <Facts
        of={{
          Request: figure(id),
          At: <time dateTime={at}>{at}</time>,
          Took: took === undefined ? 'not answered yet' : lasting(took),
          Host: host,
          Operation: operation ?? 'none',
          Model: model && <Name of={model} />,
          Job: job && <a href={hrefOf({ page: 'job', id: job })}>{shortId(job)}</a>,
          World: world,
        }}
      />
      <Command of={detail} />
    </>
  )
}

/** Links to the requests before and after. */
function Neighbors({ id }: { id: number }): ComponentChildren {
  const requests = useLive((live) => live.entries).filter(isRequest)
  const before = requests.findLast((entry) => entry.id < id)
  const after = requests.find((entry) => entry.id > id)
  return (
    <nav class="line" aria-label="Requests">
      <a href={hrefOf({ page: 'requests' })}>All requests</a>
      {before && (
        <a href={hrefOf({ page: 'request', id: String(before.id) })}>← {figure(before.id)}</a>
      )}
      {after && (
        <a href={hrefOf({ page: 'request', id: String(after.id) })}>{figure(after.id)} →</a>
      )}
    </nav>
  )
}

/** The request as a command. The user can copy it, or select it where the clipboard is not available. */
function Command({ of: detail }: { of: RequestDetail }): ComponentChildren {
  const info = useLive((live) => live.info)
  if (!info) return null
  const command = curlOf(detail, info)
  const { state } = detail.request
  return (
    <div class="command line">
      <CopyButton text={command} what="the command" label="Copy as cURL" />
      <details>
        <summary>Show the command</summary>
        <pre tabIndex={0} role="region" aria-label="The command">
          {command}
        </pre>
        <p class="faint">Set {KEY_VARIABLE} to your key first.</p>
      </details>
      {(state === 'cut' || state === 'dropped') && (
        <p class="warn">The emulator does not keep the whole body, so it is missing here.</p>
      )}
    </div>
  )
}

function Sent({ of: { request } }: { of: RequestDetail }): ComponentChildren {
  return (
    <section class="http-message stack" aria-label="Request">
      <h2>Request</h2>
      <HeaderList of={request.headers} isFolded />
      <BodyView of={request} what="request" />
    </section>
  )
}

function Answer({ of: { response, lost, took }, reload }: DetailsProps): ComponentChildren {
  const streamed = response !== null && isStream(response)
  return (
    <section class="http-message stack" aria-label="Response">
      <div class="line">
        <h2>Response</h2>
        {streamed && <button onClick={reload}>Read again</button>}
      </div>
      {response === null ? (
        <p class="faint">{took === undefined ? 'Not answered yet.' : 'There was none.'}</p>
      ) : (
        <>
          {lost !== undefined && <p class="bad">Only this part was sent.</p>}
          {streamed && <StreamEnd of={response} />}
          <HeaderList of={response.headers} isFolded />
          <BodyView of={response} what="response" />
        </>
      )}
    </section>
  )
}
