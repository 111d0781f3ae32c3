import { declaredNamesIn, type DeclaredName } from './declared-names.js'

/** Names of the code that a row of the table of words in `docs/contributing.md` refuses. */
interface RefusedNames {
  /** The concept of that row. */
  readonly concept: string
  /** Finds the words of a name, such as `read agenda`. */
  readonly pattern: RegExp
  /** Refuses names of these only. Default: names of everything. */
  readonly kinds?: readonly DeclaredName['kind'][]
  /** The folders of `src` where the word has this meaning. Default: everywhere. */
  readonly folders?: readonly string[]
  /** Code with names that it finds, one for each refused word at least. */
  readonly examples: readonly [string, ...string[]]
}

/** One entry for each row of the table, in its order. */
export const refusedNames: readonly RefusedNames[] = [
  {
    concept: 'an isolated state with its own clock',
    // Several of them are worlds: an emulator has a world for each key.
    pattern: /\b(?:cores|engines)\b/,
    examples: ['const engines = new Map()', 'class Emulator { #coresByKey = [] }'],
  },
  {
    concept: 'what plays a scenario',
    pattern: /\b(?:scenario|playing) worlds?\b|\bworld (?:plays|player)\b/,
    examples: ['class ScenarioWorld {}', 'const worldPlayer = 1'],
  },
  {
    concept: 'what a user creates',
    pattern: /\bcore\b/,
    examples: ['class EmulatorCore {}', 'interface CoreOptions {}'],
  },
  {
    concept: 'something scheduled',
    pattern: /\b(?:agenda|appointment)s?\b/,
    examples: ['function readAgenda() {}', 'interface Appointment {}'],
  },
  {
    concept: 'seeded randomness',
    // A `chance` of 0.5 is a probability.
    pattern: /\bchance\b/,
    kinds: ['type'],
    examples: ['class ChanceSource {}'],
  },
  {
    concept: 'something that happened in the engine',
    pattern: /\b(?:happenings?|news)\b/,
    examples: ['interface Happening {}', 'const newsAt = 1', 'function JobNews() {}'],
  },
  {
    concept: 'a line of the record of what happened',
    pattern: /\b(?:told|asked)\b/,
    examples: ['const told = []', 'interface AskedJob {}'],
  },
  {
    concept: 'stored state',
    pattern: /\bkept\b/,
    folders: ['service/engine', 'webhooks/sending', 'emulator', 'compose'],
    examples: ['interface KeptWorld {}', 'const recordsKept = 1'],
  },
  {
    concept: 'a response that waits',
    pattern: /\bheld (?:responses?|answers?|requests?|calls?)\b/,
    examples: ['const heldResponses = []'],
  },
  {
    concept: 'a webhook on its way',
    pattern: /\b(?:departures?|outgoing)\b/,
    examples: ['interface Departure {}', 'const redactedOutgoing = 1'],
  },
  {
    concept: 'where a webhook goes',
    // A request has a target, too, and so does an event of the page.
    pattern:
      /\bhooks?\b|\b(?:webhook|delivery|automation) targets?\b|\btarget (?:url|secret|problem)s?\b/,
    examples: ['const webhookTarget = 1', 'interface Hook {}', 'function targetUrl() {}'],
  },
  {
    concept: 'an answer of a model, as the engine remembers it',
    pattern: /\bexchanged?s?\b/,
    folders: ['service/engine'],
    examples: ['interface ModelExchange {}'],
  },
  {
    concept: 'the way from a chat to a checkpoint',
    pattern: /\b(?:provenance|ancestry)\b/,
    examples: ['interface Provenance {}', 'const stepAncestry = 1'],
  },
  {
    concept: 'Node or a browser, as what we run on',
    pattern: /\b(?:node|browser) platforms?\b|\bplatform (?:verbs|options|parts)\b/,
    examples: ['const nodePlatform = 1', 'interface PlatformVerbs {}'],
  },
  {
    concept: 'text for people',
    pattern: /^(?:told|written)\b/,
    kinds: ['function'],
    examples: ['function written(status) {}', 'const told = (entry) => entry.text'],
  },
  {
    concept: 'does X fit pattern Y',
    pattern:
      /\b(?:fits|satisfies)(?: the)? (?:pattern|glob|filter|path|route)\b|\b(?:pattern|glob|filter|path|route) (?:fits|satisfies)\b/,
    examples: ['function fitsPattern() {}', 'function globSatisfies() {}'],
  },
  {
    concept: 'to remove secrets',
    pattern: /^leaves? out\b|\bleft out (?:secrets?|keys?|tokens?)\b/,
    examples: ['function leaveOut(text) {}', 'const leftOutKeys = 1'],
  },
  {
    concept: 'mistakes of a client that cost money',
    pattern: /\bconduct\b/,
    examples: ['interface ConductRules {}'],
  },
]

/** Names that users, saved files or libraries know, with the file that declares them. */
export const allowedNames: readonly (readonly [name: string, file: string, reason: string])[] = [
  ['readAgenda', 'emulator/control/timeline.ts', 'a deprecated path of the control API'],
  ['agenda', 'emulator/control/client/evidence.ts', 'a deprecated method of the client'],
  ['assertSoundConduct', 'base/text/removed.ts', 'a method that was removed'],
  ['ConductError', 'base/text/removed.ts', 'an export that was removed'],
  ['ConductError', 'base/text/removed-exports.ts', 'an export that was removed'],
  ['exchanges', 'service/engine/jobs/submission.ts', 'the captured calls of a trajectory'],
  ['exchanges', 'service/engine/jobs/trainable.ts', 'the captured calls of a trajectory'],
  ['addExchanges', 'service/engine/jobs/trainable.ts', 'the captured calls of a trajectory'],
  ['exchangedTurn', 'service/engine/jobs/read-lessons.ts', 'the captured calls of a trajectory'],
  ['exchanges', 'service/engine/lineage/read-trajectory.ts', 'the captured calls of a trajectory'],
  ['happening', 'service/engine/timeline.ts', 'a field of saved records'],
  ['happening', 'service/engine/saved-timeline.ts', 'a field of saved records'],
  ['kept', 'service/engine/saved/records.ts', 'a field of saved records'],
  ['kept', 'webhooks/sending/saved-webhooks.ts', 'a field of saved records'],
  ['kept', 'webhooks/sending/saved-webhooks-schema.ts', 'a field of saved records'],
  ['hooks', 'dashboard/kit/plot.tsx', 'an option of uPlot'],
]

/** A name of a source, and the concept whose word it must have. */
export interface RefusedName {
  readonly name: string
  readonly file: string
  readonly concept: string
}

/** The names in a source of `src` that the table of words refuses, allowed ones included. */
export function refusedNamesIn(file: string, text: string): RefusedName[] {
  const rows = refusedNames.filter(({ folders }) => {
    return !folders || folders.some((folder) => file.startsWith(`${folder}/`))
  })
  return declaredNamesIn(file, text).flatMap(({ name, words, kind }) => {
    return rows
      .filter(({ pattern, kinds }) => (!kinds || kinds.includes(kind)) && pattern.test(words))
      .map(({ concept }) => ({ name, file, concept }))
  })
}
