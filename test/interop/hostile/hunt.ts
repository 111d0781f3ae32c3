import { choiceFor } from './choices.js'
import { isSame, type Case } from './compare.js'
import { generate, type Generated } from './families.js'
import { startServices, type Services } from './services.js'
import { exchange } from './socket.js'

export interface Judged extends Case {
  /** `same`, the name of a documented choice, or `unexplained`. */
  readonly verdict: string
}

export interface Hunt {
  /** A Python with the framework. */
  python: string
  seed: number
  count: number
  /** Only this family, if it is named. */
  family?: string | undefined
}

/** How many requests are on their way at once. */
const WIDTH = 16

/** Sends `count` requests to the framework and to the emulator, and judges each pair of answers. */
export async function hunt({ python, seed, count, family }: Hunt): Promise<Judged[]> {
  const services = await startServices(python)
  try {
    const judged: Judged[] = []
    let next = 0
    const work = async (): Promise<void> => {
      while (next < count) {
        const request = generate(seed, next++, services.known)
        if (family !== undefined && request.family !== family) continue
        judged.push(await judge(request, services))
      }
    }
    await Promise.all(Array.from({ length: WIDTH }, work))
    return judged.sort((one, other) => one.request.index - other.request.index)
  } finally {
    await services.close()
  }
}

/** Sends a request to both, and compares the answers. */
async function judge(request: Generated, services: Services): Promise<Judged> {
  const { bytes, methods } = request
  const [theirs, ours] = await Promise.all([
    exchange(services.framework, bytes, methods),
    exchange(services.emulator, bytes, methods),
  ])
  const asked = { request, theirs, ours }
  if (isSame(asked, services)) return { ...asked, verdict: 'same' }
  return { ...asked, verdict: choiceFor(asked)?.name ?? 'unexplained' }
}
