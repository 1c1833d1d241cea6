import * as z from 'zod';
import { VERSION } from '../../../foundation/index.js';
import { capabilityOf, type Route } from './route.js';

/** The API as an OpenAPI document, made from the operations behind each route. */
export function openApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationObject(route, path) };
  }
  return { openapi: '3.1.0', info: { title: 'Holdfast', version: VERSION }, paths };
}

function operationObject({ operations, body, ...route }: Route, path: string): object {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return {
    operationId: operations.map(({ name }) => name).join('+'),
    summary: operations.map(({ summary }) => summary).join('; '),
    'x-capability': capabilityOf({ operations, ...route }),
    parameters: named.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body, 'input') } }),
    responses: {
      200: { description: 'Done', content: contentOf(operations[0]?.output ?? z.unknown(), 'output') },
      default: { description: 'Refused', content: contentOf(Refused, 'output') },
    },
  };
}

const Refused = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  details: z.looseObject({}).optional(),
});

/** A schema that only code can check is described as any value. */
function contentOf(schema: z.ZodType, io: 'input' | 'output'): object {
  return { 'application/json': { schema: z.toJSONSchema(schema, { unrepresentable: 'any', io }) } };
}
