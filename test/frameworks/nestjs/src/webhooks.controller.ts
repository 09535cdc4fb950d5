import { All, Controller, Req, Res } from "@nestjs/common";
import { type NodeRequest, type NodeResponse, toExpress } from "messaging-gateway/webhooks/express";
import { webhooks } from "./webhooks.js";

const receive = toExpress(webhooks);

@Controller("webhooks")
export class WebhooksController {
	@All()
	receive(@Req() request: NodeRequest, @Res() response: NodeResponse) {
		return receive(request, response);
	}
}
