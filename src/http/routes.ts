/** Every route of the server, surface by surface: the one list that is mounted and documented. */

import { a2aRoutes } from './a2a/routes.js';
import { agUiRunEvents } from './ag-ui/run-events.js';
import { agUiRoutes } from './ag-ui/routes.js';
import { aiSdkRunEvents } from './ai-sdk/run-events.js';
import { aiSdkRoutes } from './ai-sdk/routes.js';
import type { Services } from './services.js';
import { healthRoute, version } from './health.js';
import { metricsRoute } from './metrics/route.js';
import { documentRoute } from './openapi/document.js';
import type { Route } from './openapi/route.js';
import { backupRoute } from './operator/backup.js';
import { operatorRoutes } from './operator/routes.js';
import { pushRoutes } from './push/dead-letters.js';
import { runRoutes } from './runs/routes.js';
import type { Service } from './service-state.js';
import { threadRoutes } from './threads/routes.js';

/** Of two routes that match a path, the first answers. */
export function allRoutes(services: Services, service: Pick<Service, 'is' | 'engine'>): Route[] {
  const routes: Route[] = [
    healthRoute(service),
    documentRoute(() => routes, version),
    metricsRoute(services.metrics),
    ...runRoutes(services, { 'ag-ui': agUiRunEvents(services), 'ai-sdk': aiSdkRunEvents(services) }),
    ...threadRoutes(services),
    ...agUiRoutes(services),
    ...aiSdkRoutes(services),
    ...a2aRoutes(services),
    ...operatorRoutes(services),
    ...pushRoutes(services),
    backupRoute(service),
  ];
  return routes;
}
