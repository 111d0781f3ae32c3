import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Editor } from './editor-names.js'
import { escapeXml } from '../base/text/escape.js'

/** The schema in the folder of the package. */
const IN_PACKAGE = join('node_modules', 'svtrain-emulator', 'dist', 'scenario.schema.json')

/** The file that holds the schema where the package is not installed. */
export const SAVED_SCHEMA = 'scenario.schema.json'

/** The file of the settings of each editor. */
export const settingsFiles: Readonly<Record<Editor, string>> = {
  vscode: '.vscode/settings.json',
  jetbrains: '.idea/jsonSchemas.xml',
}

/**
 * Returns the path of the schema for files in this folder: in the package that is installed here or above, or
 * saved beside the files. Undefined if there is neither.
 */
export function schemaPath(): string | undefined {
  const start = resolve('.')
  for (let at = start; ; at = dirname(at)) {
    const found = join(at, IN_PACKAGE)
    if (existsSync(found)) return shown(relative(start, found))
    if (dirname(at) === at) break
  }
  return existsSync(join(start, SAVED_SCHEMA)) ? `./${SAVED_SCHEMA}` : undefined
}

function shown(path: string): string {
  const text = path.split(sep).join('/')
  return text.startsWith('.') ? text : `./${text}`
}

/** The first line of a scenario file, which tells editors its schema. */
export function schemaLine(path: string): string {
  return `# yaml-language-server: $schema=${path}`
}

/** Writes the settings of an editor that give scenario files their schema. */
export function settingsFor(editor: Editor, schema: string, files: readonly string[]): string {
  return editor === 'vscode' ? forVsCode(schema, files) : forJetBrains(schema, files)
}

function forVsCode(schema: string, files: readonly string[]): string {
  const isJson = (file: string): boolean => file.endsWith('.json')
  const yaml = files.filter((file) => !isJson(file))
  const json = files.filter(isJson)
  const settings = {
    ...(yaml.length > 0 && { 'yaml.schemas': { [schema]: yaml } }),
    ...(json.length > 0 && { 'json.schemas': [{ fileMatch: json, url: schema }] }),
  }
  return JSON.stringify(settings, null, 2)
}

function forJetBrains(schema: string, files: readonly string[]): string {
  const items = files.map(
    (file) => `                  <Item>
                    <option name="pattern" value="true" />
                    <option name="path" value="${escapeXml(file)}" />
                    <option name="mappingKind" value="Pattern" />
                  </Item>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<project version="4">
  <component name="JsonSchemaMappingsProjectConfiguration">
    <state>
      <map>
        <entry key="svtrain-emulator scenario">
          <value>
            <SchemaInfo>
              <option name="name" value="svtrain-emulator scenario" />
              <option name="relativePathToSchema" value="${escapeXml(schema.replace(/^\.\//, ''))}" />
              <option name="schemaVersion" value="JSON Schema version 7" />
              <option name="patterns">
                <list>
${items.join('\n')}
                </list>
              </option>
            </SchemaInfo>
          </value>
        </entry>
      </map>
    </state>
  </component>
</project>`
}
