/** Prints the OpenAPI document of the control API. The Python client is generated from it. */
import { stdout } from 'node:process'
import { generate } from './generate.js'

await generate()
// The source imports what was just generated.
const { controlOperations } = await import('../src/compose/control-table.js')
const { describeApi } = await import('../src/service/api/openapi.js')
stdout.write(JSON.stringify(describeApi(controlOperations, 'control')))
