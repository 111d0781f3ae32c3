/**
 * What the MCP library uses of its platform. Its own module contains a validator of JSON Schema, which checks what
 * users enter into the forms of a server. The emulator has no forms. The validator takes 150 kB.
 */
export { default as process } from 'node:process'

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This MCP server has no forms.')
  }
}
