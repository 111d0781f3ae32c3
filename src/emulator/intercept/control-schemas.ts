import { dictionary, list } from '../../service/contract/pydantic/containers.js'
import { optional, required } from '../../service/contract/pydantic/fields.js'
import { integer } from '../../service/contract/pydantic/integer.js'
import { model } from '../../service/contract/pydantic/model.js'
import type { Infer } from '../../service/contract/pydantic/schema.js'
import { string } from '../../service/contract/pydantic/scalars.js'
import { controlBody } from '../control/schemas/body-and-query.js'

/** The schemas of proxies over the control API. */

export const proxyRequest = controlBody('ProxyRequest', {
  proxy_url: optional(string, {
    description:
      'A proxy that is open. Its calls go to this world from now on. Default: a new one.',
  }),
  addresses: optional(list(string), {
    description:
      'What a new proxy answers, such as training=https://api.example.test/v1. Default: the documented service.',
  }),
  allow_hosts_out: optional(list(string), {
    description: 'Other hosts that may be called: names, .example.test for all below it, or all.',
  }),
  allow_with: optional(string, {
    description: 'How errors say to allow a host. {host} is its name.',
  }),
})

export const openedProxy = model('OpenedProxy', {
  proxy_url: required(string, { description: 'The address of the proxy.' }),
  variables: required(dictionary(string), {
    description: 'The environment variables that lead a program through it.',
  }),
})

const calledHost = model('CalledHost', {
  host: required(string, { description: 'The name of the host.' }),
  answered: required(integer, { description: 'Calls that this world answered.' }),
  troubled: required(integer, {
    description: 'How many of them got the status of an error.',
  }),
  refused: required(integer, { description: 'Connections that were refused.' }),
  passed: required(integer, { description: 'Connections and calls that went to the host itself.' }),
  failures: required(list(string), { description: 'Why connections failed.' }),
})
export const calledHosts = model('CalledHosts', { hosts: list(calledHost) })

/** A proxy that is open, and the variables that lead a program through it. */
export type OpenedProxy = Infer<typeof openedProxy>
/** The outcome of the calls to one host. */
export type CalledHostState = Infer<typeof calledHost>
