import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { checkChangelog } from '../../.build/release/changelog.js'
import { attempt, checked, formatChecks, isReady, skipped } from '../../.build/release/check.js'
import {
  absolutePaths,
  checkContents,
  NPM,
  refusedLicenses,
  WHEEL,
} from '../../.build/release/contents.js'
import { checkPublisher, fillPublisher, readPublisher } from '../../.build/release/publisher.js'
import { readTarball, sizeOf } from '../../.build/release/packages.js'
import { checkEngines, checkVersions, oldestNode } from '../../.build/release/versions.js'
import { compareVersions } from '../../src/base/text/version-range.js'
import { root } from '../support/pages.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** `npm run release:check`: each check fails when it must. test/package runs all of them on the real package. */

const LICENSE_TEXT = 'Permission is hereby granted, free of charge. '.repeat(10)

const LICENSES = ['express', 'preact', 'yargs', 'zod']
  .map((name) => `${name} 1.0.0 (MIT)\n\n${LICENSE_TEXT}\n`)
  .join(`\n${'-'.repeat(72)}\n\n`)

const sound: Readonly<Record<string, string>> = {
  ...Object.fromEntries(NPM.required.map((path) => [path, 'A text.'])),
  'package.json': JSON.stringify({ name: 'svtrain-emulator', dependencies: { undici: '^7' } }),
  'dist/THIRD-PARTY-LICENSES.txt': LICENSES,
  'dist/index.js': 'import{fetch}from"undici";import"node:fs";import("./shared-1.js")',
}

/** Packs files as npm does, and returns what is wrong with the tarball. */
async function problemsOf(
  changes: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const folder = temporaryFolder()
  for (const [path, text] of Object.entries({ ...sound, ...changes })) {
    if (text === undefined) continue
    const file = join(folder, 'package', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const tarball = join(folder, 'package.tgz')
  await promisify(execFile)('tar', ['-czf', tarball, '-C', folder, 'package'])
  const files = await readTarball(tarball, join(folder, 'read'))
  const checks = checkContents('npm', { files, bytes: await sizeOf(tarball) }, NPM)
  return checks.flatMap(({ problems }) => problems.map(({ problem }) => problem))
}

describe('the contents of a tarball', () => {
  it('are right if every file is expected', async () => {
    expect(await problemsOf({})).toEqual([])
  })

  it.each<[what: string, changes: Record<string, string | undefined>, problem: RegExp]>([
    ['a file that nothing needs', { 'dist/build.json': '{}' }, /^dist\/build\.json is not a file/],
    ['a test', { 'dist/types/test/a.test.d.ts': '' }, /^dist\/types\/test\/a\.test\.d\.ts is not/],
    ['a source map', { 'dist/index.js.map': '{}' }, /^dist\/index\.js\.map is not a file/],
    ['no license', { LICENSE: undefined }, /^LICENSE is missing/],
    ['no changelog', { 'CHANGELOG.md': undefined }, /^CHANGELOG\.md is missing/],
    [
      'no list of bundled licenses',
      { 'dist/THIRD-PARTY-LICENSES.txt': undefined },
      /^dist\/THIRD-PARTY-LICENSES\.txt is missing/,
    ],
    [
      'a list of bundled licenses that is not complete',
      { 'dist/THIRD-PARTY-LICENSES.txt': LICENSES.replace('express', 'other') },
      /^The license of express is missing/,
    ],
    [
      'a bundled license without its text',
      { 'dist/THIRD-PARTY-LICENSES.txt': LICENSES.replace(LICENSE_TEXT, '') },
      /^The text of the license of express 1\.0\.0 is missing/,
    ],
    [
      'a bundled license that is not allowed',
      { 'dist/THIRD-PARTY-LICENSES.txt': LICENSES.replace('(MIT)', '(GPL-3.0)') },
      /^express 1\.0\.0 has the license "GPL-3\.0"/,
    ],
    ['the path of this repository', { 'dist/cli.js': `"${root}/src"` }, /has an absolute path: /],
    ['a path of another machine', { 'llms.txt': 'See /home/user/x' }, /absolute path: \/home\/u/],
    ['a path of Windows', { 'llms.txt': String.raw`C:\Users\user` }, /absolute path: C:\\Users\\/],
    [
      'a download address',
      { 'llms.txt': 'https://example.com/a-1.0.0.tgz' },
      /has a download address: https:\/\/example\.com\/a-1\.0\.0\.tgz/,
    ],
    [
      'a reference to a source map',
      { 'dist/cli.js': '//# sourceMappingURL=cli.js.map' },
      /has a reference to a source map/,
    ],
    [
      'the code of a test',
      { 'dist/cli.js': 'import"node:fs";import x from"node:test"' },
      /of a test/,
    ],
    [
      'an import that is not installed',
      { 'dist/cli.js': 'import{a}from"undici";import{b}from"picomatch";' },
      /^dist\/cli\.js imports "picomatch"/,
    ],
  ])('are wrong with %s', async (_what, changes, problem) => {
    expect(await problemsOf(changes)).toEqual([expect.stringMatching(problem)])
  })

  it.each([
    ['/srv/ann/', '"/srv/ann/x"', true],
    ['/srv/ann', 'file:///srv/ann', true],
    ['/srv/ann', '"/srv/anna/x"', false],
    ['/src', '"/src/index.ts"', true],
    ['/src', 'dist/types/src/index.ts', false],
    ['/root', '`/root`', false],
    ['/root', '"/root/x"', true],
    ['/', 'https://example.com/x', false],
    ['/', '"/home/ann/x"', true],
  ])('of a machine with the folder %s: whether %s is one of its paths', (folder, text, is) => {
    expect(absolutePaths([folder]).test(text)).toBe(is)
  })

  it('are too large above the limit', () => {
    const files = new Map(Object.entries(sound).map(([path, text]) => [path, Buffer.from(text)]))
    const [size] = checkContents('npm', { files, bytes: 500_001 }, { ...NPM, mostBytes: 500_000 })
    expect(size).toMatchObject({
      measured: '500,001 of 500,000 bytes',
      problems: [{ todo: expect.stringContaining('.build/release/contents.ts') as string }],
    })
  })

  it('of a wheel are those of the Python package', () => {
    const [, files] = checkContents('wheel', { files: new Map(), bytes: 1 }, WHEEL)
    expect(files!.problems).toContainEqual(
      expect.objectContaining({ problem: 'svtrain_emulator/py.typed is missing.' }),
    )
  })
})

describe('versions', () => {
  it('must be the same everywhere', () => {
    const named = new Map([
      ['package.json', '0.2.0'],
      ['package-lock.json', '0.2.0'],
      ['--version', '0.1.0'],
    ])
    expect(checkVersions(named).problems).toEqual([
      {
        problem: '--version has "0.1.0", but package.json has "0.2.0".',
        todo: 'Write 0.2.0 in --version. If it is built, build it again.',
      },
    ])
  })

  it('must be semantic', () => {
    const { problems } = checkVersions(new Map([['package.json', '0.2']]))
    expect(problems).toMatchObject([{ problem: expect.stringContaining('"0.2"') as string }])
  })

  it('have an order', () => {
    const sorted = ['0.2.0', '0.10.0', '1.0.0-rc.2', '1.0.0-rc.10', '1.0.0', '1.0.1']
    expect(sorted.toReversed().sort(compareVersions)).toEqual(sorted)
  })

  it('of Node must be those of "engines"', () => {
    const engines = '^20.19.0 || >=24.0.0'
    expect(oldestNode(engines, 20)).toBe('20.19.0')
    expect(checkEngines(engines, ['20.19.5', '26.0.0']).problems).toEqual([])
    expect(checkEngines(engines, ['20.19.0'], false).problems).toEqual([])
    expect(checkEngines(engines, ['20.18.0', '22.12.0', '24.0.0']).problems).toMatchObject([
      { problem: expect.stringContaining('No run was on Node ^20.19.0') as string },
      { problem: '"engines" in package.json does not allow Node 20.18.0.' },
      { problem: '"engines" in package.json does not allow Node 22.12.0.' },
    ])
  })
})

describe('the changelog', () => {
  const problems = (text: string, allowUnreleased = false): string[] => {
    const checks = checkChangelog(text, '0.3.0', { allowUnreleased })
    return checks.flatMap((check) => check.problems.map(({ problem }) => problem))
  }
  const older = '## 0.2.0\n\n- Older.\n'

  it('begins with the version and its date', () => {
    expect(problems(`## 0.3.0 - 2026-11-30\n\n- New.\n\n${older}`)).toEqual([])
  })

  it.each([
    [
      'another version',
      '## 0.4.0 - 2026-11-30\n\n- New.\n',
      /"## 0\.4\.0 - 2026-11-30", but .* 0\.3\.0/,
    ],
    ['no date', '## 0.3.0\n\n- New.\n', /has no date/],
    ['a date that does not exist', '## 0.3.0 - 2026-02-30\n\n- New.\n', /has no date/],
    ['no section', 'Nothing.\n', /has no section/],
    [
      'versions that are not in order',
      `## 0.3.0 - 2026-11-30\n\n- New.\n\n${older}\n## 0.2.1\n\n- Later.\n`,
      /^0\.2\.1 comes below 0\.2\.0/,
    ],
    [
      'a version twice',
      `## 0.3.0 - 2026-11-30\n\n- New.\n\n${older}\n${older}`,
      /^0\.2\.0 comes below 0\.2\.0/,
    ],
    [
      'no version',
      '## 0.3.0 - 2026-11-30\n\n- New.\n\n## Old\n\n- x\n',
      /"## Old" names no version/,
    ],
    [
      'an empty section',
      '## 0.3.0 - 2026-11-30\n\n### Added\n\n### Fixed\n\n- x\n',
      /"### Added" is/,
    ],
    ['an empty version', `## 0.3.0 - 2026-11-30\n\n${older}`, /"## 0\.3\.0 - 2026-11-30" is empty/],
  ])('is wrong with %s', (_what, text, problem) => {
    expect(problems(text)).toEqual([expect.stringMatching(problem)])
  })

  it('may begin with "Unreleased" only if that is allowed', () => {
    const text = `## Unreleased\n\n- New.\n\n${older}`
    expect(problems(text, true)).toEqual([])
    const [newest] = checkChangelog(text, '0.2.0', { allowUnreleased: false })
    expect(newest!.problems).toEqual([
      {
        problem: 'The newest section of CHANGELOG.md is "## Unreleased".',
        todo: expect.stringMatching(
          /^0\.2\.0 already has a section: choose a later version.*--allow-unreleased\.$/,
        ) as string,
      },
    ])
  })
})

it('licenses of dependencies must be allowed', () => {
  const licenses = ['MIT', '(MIT OR GPL-3.0)', 'MIT AND ISC', 'MIT AND GPL-3.0', '']
  const packages = licenses.map((license) => ({ name: 'a', version: '1.0.0', license }))
  expect(refusedLicenses(packages).map(({ problem }) => problem)).toEqual([
    'a 1.0.0 has the license "MIT AND GPL-3.0".',
    'a 1.0.0 has the license "none".',
  ])
})

it('the table says what failed, and what to do', async () => {
  const failing = await attempt('Node 20: main job', 'Repeat it.', () => {
    return Promise.reject(new Error('It did not start.'))
  })
  const checks = [checked('versions', '0.2.0 in 3 places'), failing, skipped('wheel', 'left out')]
  expect(isReady(checks)).toBe(false)
  expect(formatChecks(checks).replace(/[\d.]+ s$/m, '0.0 s')).toMatchInlineSnapshot(`
    "pass     versions           0.2.0 in 3 places
    fail     Node 20: main job  0.0 s
    skipped  wheel              left out

    Node 20: main job
      It did not start.
      → Repeat it.

    1 passed, 1 failed, 1 skipped"
  `)
})

describe('the publisher', () => {
  const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`
  const NAMING = [
    '.build/release/publisher.json',
    '.github/Dockerfile',
    '.github/workflows/gate.yml',
    'docs/how-to/ci.md',
    'package.json',
    'python/pyproject.toml',
  ]

  function copied(): string {
    const folder = temporaryFolder()
    for (const path of NAMING) cpSync(join(root, path), join(folder, path))
    return folder
  }

  it('is written into every file that names one, and can be corrected', () => {
    const folder = copied()
    const { repository, images } = readPublisher(folder)
    const digests = Object.fromEntries(Object.keys(images).map((name) => [name, DIGEST]))
    fillPublisher({ repository: 'first/svtrain-emulator' }, folder)
    fillPublisher({ repository: 'acme/svtrain-emulator', images: digests }, folder)

    const texts = NAMING.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n')
    expect(texts).not.toContain(repository)
    expect(texts).not.toContain('first/')
    expect(texts).toContain('"url": "git+https://github.com/acme/svtrain-emulator.git"')
    expect(texts).toContain('Repository = "https://github.com/acme/svtrain-emulator"')
    expect(texts).toContain('uses: acme/svtrain-emulator/.github/actions/svtrain-emulator@v0')
    expect(texts).toContain(`FROM node:24-slim@${DIGEST} AS build`)
    expect(texts).toContain(`container: node:20-trixie@${DIGEST}`)
    const check = checkPublisher(readPublisher(folder), { allowUnreleased: false })
    expect(check).toMatchObject({ measured: 'acme/svtrain-emulator', problems: [] })
  })

  it.each<[changes: object, problem: RegExp]>([
    [
      { repository: 'acme' },
      /^"acme" is not a repository\. Write it as owner\/svtrain-emulator\.$/,
    ],
    [{ images: { 'node:24-slim': 'latest' } }, /^"latest" is not a digest\./],
    [{ images: { 'node:99': DIGEST } }, /^No file names the image "node:99"\. Known images: node:/],
  ])('%j is refused, and nothing is written', (changes, problem) => {
    const folder = copied()
    expect(() =>
      fillPublisher({ repository: 'acme/svtrain-emulator', ...changes }, folder),
    ).toThrow(problem)
    expect(readPublisher(folder)).toEqual(readPublisher())
  })

  it('stops a release as long as it is a placeholder', () => {
    const placeholder = { repository: 'OWNER/svtrain-emulator', images: { 'node:24-slim': '' } }
    const check = checkPublisher(placeholder, { allowUnreleased: false })
    expect(check.problems.map(({ problem }) => problem)).toEqual([
      'The repository is "OWNER/svtrain-emulator", which is only a placeholder.',
      'The image node:24-slim has no digest, so each build can get another one.',
    ])
    expect(isReady([checkPublisher(placeholder, { allowUnreleased: true })])).toBe(true)
  })
})
