import { readdirSync, statSync } from 'node:fs'
import { join, normalize, sep } from 'node:path'
import { matchesGlob } from '../base/text/glob.js'
import { UsageError } from './usage-error.js'

/** The files that an argument of `scenarios check` stands for. */
export interface ScenarioFiles {
  /** The files, in order. Each appears once. */
  readonly files: readonly string[]
  /** The folders that were searched, also those without files. */
  readonly folders: readonly string[]
}

const YAML = /\.ya?ml$/i
const WILD = /[*?[{]/

/**
 * Lists scenario files. An argument is a file, a folder, or a glob that the shell did not expand. A folder stands
 * for the YAML files in it and below it.
 *
 * @throws {UsageError} When a folder or a glob has no files.
 */
export function listScenarioFiles(written: readonly string[]): ScenarioFiles {
  const files = new Set<string>()
  const folders = new Set<string>()
  for (const each of written) {
    const isFolder = statSync(each, { throwIfNoEntry: false })?.isDirectory() === true
    const isGlob = !isFolder && WILD.test(each) && !statSync(each, { throwIfNoEntry: false })
    if (!isFolder && !isGlob) {
      files.add(each)
      continue
    }
    const found = isFolder
      ? filesBelow(each, folders).filter((file) => YAML.test(file))
      : filesOf(each, folders)
    if (found.length === 0) {
      throw new UsageError(
        isFolder
          ? `The folder ${each} has no files that end with .yaml or .yml.`
          : `No file matches ${each}.`,
      )
    }
    found.forEach((file) => files.add(file))
  }
  return { files: [...files], folders: [...folders] }
}

function filesOf(glob: string, folders: Set<string>): string[] {
  const parts = normalize(glob).split(sep)
  const first = parts.findIndex((part) => WILD.test(part))
  const base = parts.slice(0, first).join(sep) || (parts[0] === '' ? sep : '.')
  return filesBelow(base, folders).filter((file) => matchesParts(file.split(sep), parts))
}

/** Whether the names of a path match the parts of a glob, one by one. Two stars match any number of folders. */
function matchesParts(names: readonly string[], parts: readonly string[]): boolean {
  const [name, ...below] = names
  const [part, ...others] = parts
  if (part === undefined || name === undefined) return part === name
  if (part === '**') return matchesParts(names, others) || matchesParts(below, parts)
  return matchesGlob(name, part) && matchesParts(below, others)
}

function filesBelow(folder: string, folders: Set<string>): string[] {
  folders.add(folder)
  let entries
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        return entry.name === 'node_modules' || entry.name.startsWith('.')
          ? []
          : filesBelow(path, folders)
      }
      return [path]
    })
}
