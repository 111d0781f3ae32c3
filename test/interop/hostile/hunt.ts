import type { Answer as TextAnswer } from '../requests/compare.js'
import { choiceFor } from './choices.js'
import { isSame, type Case } from './compare.js'
import { families, generate, type Generated } from './families.js'
import { bodyOf, type Known } from './request.js'
import { startServices, type Services } from './services.js'
import { exchange, type Answer } from './socket.js'

export interface Judged extends Case {
  /** `same`, the name of a documented choice, or `unexplained`. */
  readonly verdict: string
}

/** How many requests are on their way at once. */
const WIDTH = 16

/** One of so many odd bodies goes over sockets as well as all other requests. */
const BODIES_OVER_SOCKETS = 8

/** Sends `count` requests to the framework of a Python and to the emulator, and judges each pair of answers. */
export async function hunt(python: string, seed: number, count: number): Promise<Judged[]> {
  const services = await startServices(python)
  try {
    const { known } = services
    const requests = Array.from({ length: count }, (_, index) => generate(seed, index, known))
    const wanted = requests.filter((each) => !deletesModel(each, known))
    const [inProcess, overSockets] = [true, false].map((is) =>
      wanted.filter((each) => isForProcess(each) === is),
    ) as [Generated[], Generated[]]
    // One after the other: what is judged in this process holds up its sockets, which wait for a limited time.
    const judged = await judgeOverSockets(overSockets, services)
    judged.push(...(await judgeInProcess(inProcess, services)))
    return judged.sort((one, other) => one.request.index - other.request.index)
  } finally {
    await services.close()
  }
}

/** The application of the comparison keeps its model. Without it, the emulator would refuse all that follows. */
function deletesModel({ method, target }: Generated, { model }: Known): boolean {
  return method === 'DELETE' && target.split('?', 1)[0] === `/v1/preview/models/${model}`
}

function isForProcess({ family, index }: Generated): boolean {
  return families[family]!.inBody === true && index % BODIES_OVER_SOCKETS !== 0
}

async function judgeOverSockets(
  requests: readonly Generated[],
  services: Services,
): Promise<Judged[]> {
  const judged: Judged[] = []
  const waiting = requests.values()
  const work = async (): Promise<void> => {
    for (const request of waiting) {
      const { bytes, methods } = request
      const [theirs, ours] = await Promise.all([
        exchange(services.framework, bytes, methods),
        exchange(services.emulator, bytes, methods),
      ])
      judged.push(judge({ request, theirs, ours }, services))
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, work))
  return judged
}

async function judgeInProcess(
  requests: readonly Generated[],
  services: Services,
): Promise<Judged[]> {
  const asked = requests.map((request) => {
    const { family: category, method, target: path } = request
    const headers = Object.fromEntries(
      request.headers.map(([name, value]) => [name.toLowerCase(), value]),
    )
    return { category, method, path, headers, base64: bodyOf(request).toString('base64') }
  })
  const answered = await services.ask(asked)
  return answered.map(({ theirs, ours }, index) => {
    const request = requests[index]!
    return judge({ request, theirs: [bytesOf(theirs)], ours: [bytesOf(ours)] }, services)
  })
}

function bytesOf({ status, headers, body }: TextAnswer): Answer {
  return { status, headers: new Map(Object.entries(headers)), body: Buffer.from(body) }
}

function judge(asked: Case, services: Services): Judged {
  if (isSame(asked, services)) return { ...asked, verdict: 'same' }
  return { ...asked, verdict: choiceFor(asked)?.name ?? 'unexplained' }
}
