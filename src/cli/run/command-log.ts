import { shownEntry } from '../../service/engine/shown-entry.js'
import type { Emulator } from '../../emulator/emulator.js'
import { isChatOperation } from '../../service/contract/operation-names.js'
import { warnOfIdleWebhooks } from '../../webhooks/sending/idle-webhooks.js'
import { printable } from '../terminal.js'
import type { Log, RequestLog } from '../request-log.js'

/** A log that counts chats, and remembers the warnings of all worlds, each once. Stderr belongs to the command until it has ended. */
export class CommandLog {
  readonly log: Log
  readonly flush: () => void
  /** How many chats were answered. */
  chats = 0
  readonly #warnings = new Map<string, string>()

  constructor({ log, flush }: RequestLog) {
    this.flush = flush
    this.log = (entry, source) => {
      if (entry.kind === 'note' && entry.warning) {
        const { name } = entry.warning
        if (!this.#warnings.has(name)) this.#warnings.set(name, shownEntry(entry).text)
      }
      const isChat = entry.kind === 'request' && isChatOperation(entry.operation)
      if (isChat && entry.status === 200) this.chats++
      log(entry, source)
    }
  }

  /** Logs what happens in an emulator, beginning with what cannot happen. */
  watch({ journal, engine, webhooks }: Emulator): void {
    journal.subscribe((entry) => this.log(entry, { journal }))
    warnOfIdleWebhooks(engine.warnings, webhooks.parts, engine.scenario.auth)
  }

  get warnings(): string[] {
    return Array.from(this.#warnings.values(), (text) => printable(text.replace(/^w/, 'W')))
  }
}
