import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

interface Banned {
  /** Between words, a space also stands for a line break inside a comment. */
  pattern: string
  /** What to write instead. */
  instead: string
  /** Sentences that contain it. */
  examples: readonly [string, ...string[]]
}

/** Words and phrases that readers stumble over, and words that another word in this project replaces. */
export const bannedWords: readonly Banned[] = [
  {
    pattern: 'heed(?:s|ed|ing)?',
    instead: '"supports", "respects" or "reads"',
    examples: ['It heeds the limit.', 'A limit that nobody heeded.'],
  },
  {
    pattern: '[A-Z][a-z]+ed (?:is|are)',
    instead: 'the subject first: "Supported: …" or "It supports …"',
    examples: ['Ignored are all other fields.'],
  },
  { pattern: 'anew', instead: '"again"', examples: ['The scenario is read anew.'] },
  {
    pattern: 'whoever',
    instead: '"a client that", "the caller"',
    examples: ['Whoever waits gets it.'],
  },
  {
    pattern: '(?:of |by |to |for |with )?whom',
    instead: '"that", or a new sentence',
    examples: ['The client of whom it came.', 'Nobody knows whom it calls.'],
  },
  { pattern: 'wherein', instead: '"in which", "where"', examples: ['A folder wherein it lies.'] },
  { pattern: 'hence', instead: '"so", "therefore"', examples: ['Hence the name.'] },
  {
    pattern: 'lest',
    instead: '"so that … not"',
    examples: ['It stops lest the port be taken.'],
  },
  { pattern: 'ought', instead: '"should"', examples: ['It ought to answer.'] },
  {
    pattern: '(?:is|are|was|were|be|been|being) told(?: of)?',
    instead: '"receives", "learns", "is called with"',
    examples: ['The client is told why.', 'Callers were told of it.'],
  },
  { pattern: 'told of', instead: '"receives", "knows"', examples: ['Nobody told of it.'] },
  {
    pattern: 'so many',
    instead: 'the name of the number: "`count` …", "at most `limit` …"',
    examples: ['Answers once so many requests came.'],
  },
  {
    pattern: 'of which',
    instead: '"that", "whose", or a new sentence',
    examples: ['Jobs, of which one failed.'],
  },
  {
    pattern: 'where there (?:is|are|was|were) (?:none|no|one|some|any)',
    instead: '"if there is none", "undefined if …"',
    examples: ['Undefined where there is none.', 'Empty where there are none.'],
  },
  {
    pattern: '(?:where|if) (?:one|none) is',
    instead: '"if it is set", "if it exists"',
    examples: ['The file, where one is.', 'A new token where none is given.'],
  },
  {
    pattern: '(?:go|goes|going|went|gone) on with',
    instead: '"continues"',
    examples: ['It goes on with the next one.'],
  },
  {
    pattern: '(?:take|takes|taking|took|taken) up',
    instead: '"loads", "restores", "continues from"',
    examples: ['A snapshot that was taken up.'],
  },
  { pattern: 'lets? in', instead: '"accepts", "allows"', examples: ['The gate lets in pages.'] },
  {
    pattern: '(?:what|which) (?:became|becomes|become|came) of',
    instead: '"the result of", "the outcome of"',
    examples: ['Reports what became of the job.'],
  },
  {
    pattern: '[Rr]aise[sd]?(?= `)',
    instead: '`@throws {X} When …`',
    examples: ['Raises `ListenError`.'],
  },
  {
    pattern: 'Raised (?:where|when|if|by|for)',
    instead: '"Thrown when …"',
    examples: ['Raised where a port is in use.'],
  },
  {
    pattern:
      '(?<!there )is no (?!(?:longer|more|need|such|point|reason|change|\\w+er)\\b)[a-z]+\\b(?! (?:is|are|was|were|has)\\b)',
    instead: '"is not a …"',
    examples: ['The text is no JSON.', 'A value that is no job.'],
  },
  {
    pattern: 'whatever (?:it|they|its|the|he)',
    instead: '"any …", "regardless of …"',
    examples: ['It is removed, whatever its state.'],
  },
  {
    pattern: '(?:behaviour|colour|favour|honour|neighbour|licence|catalogue)(?:s|ed|ing)?',
    instead: 'the American spelling',
    examples: ['The behaviour of a client.'],
  },
  {
    pattern:
      '(?:initial|normal|organ|recogn|serial|reserial|summar|optim|capital)is(?:e|es|ed|ing|ation)',
    instead: 'the American spelling, with a "z"',
    examples: ['Headers are normalised.'],
  },
]

export interface Found {
  /** `src/cli/main.ts:12`. */
  place: string
  words: string
  instead: string
}

const patterns = bannedWords.map(({ pattern, instead }) => ({
  // In a comment, a line begins with its mark.
  pattern: new RegExp(
    String.raw`(?<![\w-])(?:${pattern.replaceAll(' ', String.raw`\s+(?:(?:\*|\/\/|#|>)\s+)?`)})(?![\w-])`,
    /[A-Z]/.test(pattern) ? 'g' : 'gi',
  ),
  instead,
}))

/** The banned words of a text, in the order of the text. */
export function bannedWordsIn(text: string): { at: number; words: string; instead: string }[] {
  const found = patterns.flatMap(({ pattern, instead }) =>
    Array.from(text.matchAll(pattern), ({ index, 0: words }) => ({ at: index, words, instead })),
  )
  // Of two phrases that overlap, the longer one.
  found.sort((a, b) => a.at - b.at || b.words.length - a.words.length)
  return found.filter(({ at }, index) => {
    const before = found[index - 1]
    return before === undefined || at >= before.at + before.words.length
  })
}

/** The call that names a test or a group of tests. */
const TEST_NAME =
  /(?:\b(?:it|test|describe\w*)(?:\.\w+)*|\)|`)\(\s*(?<quote>['"`])(?<name>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>,\s*(?:async\b|\(|\{|\w+ =>)/g

/**
 * The names of the tests in a file. Everything else is blank, so that line numbers stay the same.
 */
export function testNamesIn(text: string): string {
  let names = ''
  for (const { index, 0: call, groups } of text.matchAll(TEST_NAME)) {
    const name = groups!['name']!
    const start = index + call.indexOf(groups!['quote']! + name) + 1
    names += blank(text.slice(names.length, start)) + name
  }
  return names
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}

/** All banned words in the source, the documentation and the names of tests. */
export function bannedWordsInProject(): Map<string, Found[]> {
  const byFile = new Map<string, Found[]>()
  for (const [folder, pattern] of [
    ['src', /(?<!\.generated)\.(?:tsx?|css|html|json)$/],
    ['bin', /\.js$/],
    ['docs', /\.md$/],
    ['skills', /\.md$/],
    ['scenarios', /\.yaml$/],
    ['test', /\.test\.ts$/],
    ['.', /^(?:README|CHANGELOG|AGENTS)\.md$|^llms\.txt$/],
  ] as const) {
    for (const file of filesIn(folder).filter((name) => pattern.test(name))) {
      const text = readFileSync(join(root, file), 'utf8')
      const found = bannedWordsIn(folder === 'test' ? testNamesIn(text) : text)
      if (found.length === 0) continue
      byFile.set(
        file,
        found.map(({ at, words, instead }) => ({
          place: `${file}:${text.slice(0, at).split('\n').length}`,
          words: words.replaceAll(/\s+(?:(?:\*|\/\/|#|>)\s+)?/g, ' '),
          instead,
        })),
      )
    }
  }
  return new Map([...byFile].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** By their paths in the repository, with slashes. Of the root, only the files in it. */
function filesIn(folder: string): string[] {
  try {
    return (
      readdirSync(join(root, folder), { recursive: folder !== '.', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
        // The benchmark installs its peers below test/.
        .filter((path) => !path.includes('node_modules/'))
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
