import type { ComponentChildren } from 'preact'
import { call } from '../data/control.js'
import { world } from '../data/world.js'
import { save } from './export.js'
import { ActionButton } from './action-button.js'

/** Saves what happened as files to share: all of it as a page, and the requests as HAR. */
export function Share(): ComponentChildren {
  return (
    <div class="line" role="group" aria-label="Save to share">
      <ActionButton
        class="plain"
        title="Everything that happened, as one HTML page without keys and secrets"
        act={async () => saveAs('report.html', 'text/html', await call('GET /report'))}
      >
        Report
      </ActionButton>
      <ActionButton
        class="plain"
        title="The requests as a HAR file without keys and secrets"
        act={async () => {
          const har = JSON.stringify(await call('GET /har'), undefined, 2)
          saveAs('requests.har', 'application/json', har)
        }}
      >
        HAR
      </ActionButton>
    </div>
  )
}

function saveAs(name: string, type: string, content: string): void {
  save(world === undefined ? name : `${world}-${name}`, new Blob([content], { type }))
}
