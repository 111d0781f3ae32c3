import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { root } from './stamp.js'

/** The licenses of packages: whose code is in a bundle, and which a release may contain. */

/** Licenses that ask for no more than their text. */
export const ALLOWED_LICENSES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
]

const RULE = `\n${'-'.repeat(72)}\n\n`

/** What a manifest says about the license of its package. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly author?: string | { readonly name: string }
}

/** A package in the list of licenses. */
export interface LicensedPackage {
  readonly name: string
  readonly version: string
  /** As the package says it: `MIT`. */
  readonly license: string
  /** The text of the license. It is empty if the list has none. */
  readonly text: string
}

/**
 * Returns the licenses of the packages whose code is in a bundle, as one text: most licenses require it.
 *
 * @param files The files that went into the bundle.
 * @throws {Error} When a package has no license text, and its license has no standard text here.
 */
export async function licensesOf(files: readonly string[]): Promise<string> {
  const folders = new Set(files.flatMap((path) => folderOfPackage(path) ?? []))
  const texts = [...folders].sort().map(async (folder) => {
    const path = join(root, folder)
    const manifest = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as Manifest
    const file = (await readdir(path)).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : (await readFile(join(path, file), 'utf8')).trim()
    const { name, version, license } = manifest
    return `${name} ${version} (${license})\n\n${text || standardText(manifest)}\n`
  })
  return (await Promise.all(texts)).join(RULE)
}

/** Returns the packages in a text of `licensesOf`. */
export function licensesIn(text: string): LicensedPackage[] {
  return text.split(RULE).flatMap((section) => {
    const [whole = '', name = '', version = '', license = ''] =
      /^(\S+) (\S+) \((.+)\)(?:\n|$)/.exec(section) ?? []
    if (whole === '') return []
    return [
      {
        name,
        version,
        license,
        text: section.slice(whole.length).trim(),
      },
    ]
  })
}

/** Returns the folder of the package that a file belongs to. */
function folderOfPackage(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.split(sep).join('/'))?.[0]
}

/** Some packages name their license and have no file with its text. */
function standardText({ name, license, author }: Manifest): string {
  const holder = typeof author === 'string' ? author : author?.name
  if (license !== 'MIT' || holder === undefined) {
    throw new Error(
      `The package "${name}" (${license}) has no license file. Add the text of its license to .build/licenses.ts.`,
    )
  }
  return `MIT License (the package names it, and has no file with its text)

Copyright (c) ${holder.replace(/\s*[<(].*$/, '')}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO
EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR
THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
}
