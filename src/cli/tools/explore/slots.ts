import { ListenError } from '../../../emulator/adapters/bind.js'
import { freePort, type ReceiverPort } from '../../receiver-port.js'
import { copyState, type StateCopy } from './state-copy.js'
import type { Template } from './warm-start.js'

/**
 * A place for one run after the other. It has ports and a place for the state of its own, so its runs have the same
 * variables, and a program that has started can be copied for each of them.
 */
export interface Slot {
  readonly ports: SlotPorts | undefined
  receiver?: ReceiverPort
  /** Where the runs have their copies of the state. */
  home?: string
  /** Undefined: none was tried. */
  template?: Promise<Template | undefined>
}

interface SlotPorts {
  readonly port: number
  readonly inferencePort: number
  readonly sinkPort: number
  readonly proxyPort: number
}

/** As many slots as there are runs at once. */
export class Slots {
  readonly #hasPorts: boolean
  readonly #free: Slot[] = []
  readonly #all: Slot[] = []

  /** @param hasPorts Whether a slot has ports of its own. Otherwise, each run has other ones. */
  constructor(hasPorts: boolean) {
    this.#hasPorts = hasPorts
  }

  async take(): Promise<Slot> {
    const free = this.#free.shift()
    if (free) return free
    const slot: Slot = { ports: this.#hasPorts ? await freePorts() : undefined }
    this.#all.push(slot)
    return slot
  }

  giveBack(slot: Slot): void {
    this.#free.push(slot)
  }

  async end(): Promise<void> {
    for (const { template } of this.#all) (await template)?.end()
  }
}

/** Copies the state to where the earlier runs of a slot had theirs. */
export function copyStateIn(slot: Slot, state: string): StateCopy {
  const copy = copyState(state, process.cwd(), slot.home)
  slot.home = copy.home
  return copy
}

/** Opens the ports of a slot. If another program has one of them, any free ones. */
export async function openPortsOf<Opened>(
  { ports }: Slot,
  open: (chosen: Partial<Omit<SlotPorts, 'proxyPort'>>) => Promise<Opened>,
): Promise<Opened> {
  if (!ports) return open({})
  const { proxyPort: _, ...own } = ports
  return open(own).catch((error: unknown) => {
    if (error instanceof ListenError) return open({})
    throw error
  })
}

async function freePorts(): Promise<SlotPorts> {
  return {
    port: await freePort(),
    inferencePort: await freePort(),
    sinkPort: await freePort(),
    proxyPort: await freePort(),
  }
}
