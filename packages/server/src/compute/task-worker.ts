/** Runs tasks of the studio in a worker thread of Node. */
import { parentPort, workerData } from "node:worker_threads";
import { nodePort, serveTasks } from "@coterie/workbench";
import { nodeHost } from "./node-host.js";

serveTasks(nodePort(parentPort!), nodeHost(String((workerData as { version?: unknown }).version ?? "")));
